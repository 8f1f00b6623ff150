/**
 * Imported tokenizers beside those of `@huggingface/tokenizers`, which transformers.js uses, in Node.
 *
 *     node tools/bench/imported.mjs TEXT TOKENIZER.json...
 *
 * Beside each TOKENIZER.json lies TOKENIZER.wwho, which `wwho import` made of it. Both encode the same lines of TEXT in turns, in one
 * process; each line once, as engines keep what they have seen; time is taken for the second half. Each is loaded in processes of its
 * own: the processor time from reading the file to the first ids, and what that adds to the most memory that Node holds. Printed are
 * medians, ours first, and how many times ours the other takes. Lines with other ids are counted.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ROUNDS = 5;
const LOADS = 3;

/** Each imports its library, and gives what opens a file, and gives what turns a text into ids. */
const ENGINES = {
  async wwho() {
    const { Tokenizer } = await import("../../web/package/node-tokenizer.js");
    return async (file) => {
      const tokenizer = await Tokenizer.load(file.replace(/json$/, "wwho"));
      return (text) => tokenizer.encode(text);
    };
  },
  async theirs() {
    const { Tokenizer } = await import("@huggingface/tokenizers");
    return async (file) => {
      const tokenizer = new Tokenizer(JSON.parse(readFileSync(file, "utf8")), {});
      return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
    };
  },
  nothing: async () => async () => () => [],
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const peak = () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024; // MiB

async function loaded(engine, file) {
  const open = await ENGINES[engine]();
  const before = process.cpuUsage();
  (await open(file))("The first text.");
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1e3, memory: peak() };
}

function loads(engine, file) {
  const run = () => JSON.parse(execFileSync(process.execPath, [import.meta.filename, "--load", engine, file], { encoding: "utf8" }));
  const all = Array.from({ length: LOADS }, run);
  return { milliseconds: median(all.map((each) => each.milliseconds)), memory: median(all.map((each) => each.memory)) };
}

function seconds(encode, lines) {
  const begin = process.cpuUsage();
  for (const line of lines) encode(line);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

/** The first half of the lines is for the compilers. */
async function speeds(lines, file) {
  const both = [];
  for (const engine of ["wwho", "theirs"]) both.push(await (await ENGINES[engine]())(file));
  const half = lines.length >> 1;
  for (const encode of both) seconds(encode, lines.slice(0, half));
  const size = Math.floor((lines.length - half) / ROUNDS);
  const rounds = Array.from({ length: ROUNDS }, (_, k) => lines.slice(half + k * size, half + (k + 1) * size));
  const taken = rounds.map((round) => both.map((encode) => seconds(encode, round)));
  const bytes = rounds.map((round) => Buffer.byteLength(round.join("")));
  const others = rounds.flat().filter((line) => String(both[0](line)) !== String(both[1](line))).length;
  return { ns: median(taken.map(([a], k) => (a / bytes[k]) * 1e9)), times: median(taken.map(([a, b]) => b / a)), others };
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--load") {
  console.log(JSON.stringify(await loaded(...rest)));
} else {
  const lines = readFileSync(first, "utf8").split("\n").filter(Boolean);
  const { memory } = loads("nothing", "");
  for (const file of rest) {
    const [a, b] = ["wwho", "theirs"].map((engine) => loads(engine, file));
    const { ns, times, others } = await speeds(lines, file);
    const [grown, more] = [a.memory - memory, b.memory - memory];
    console.log(`${file}: ${ns.toFixed(1)} ns a byte, ${times.toFixed(1)} times; ${others} lines with other ids`);
    console.log(`  loads in ${a.milliseconds.toFixed(0)} ms, ${(b.milliseconds / a.milliseconds).toFixed(1)} times`);
    console.log(`  takes ${grown.toFixed(0)} MiB, ${(more / grown).toFixed(1)} times`);
  }
}
