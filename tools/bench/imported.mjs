/**
 * Imported tokenizers beside those of `@huggingface/tokenizers`, which transformers.js uses, in Node.
 *
 *     python tools/build_npm.py
 *     node tools/bench/imported.mjs TEXT TOKENIZER.json...
 *
 * Beside each TOKENIZER.json lies TOKENIZER.wwho, which `wwho import` made of it. Both encode the same lines of TEXT in turns, in one
 * process; each line once, as engines keep what they have seen; time is taken for the second half. Each is loaded in processes of its
 * own: the time from reading the file to the first ids, by the clock and of the processor, and what that adds to the most memory that
 * Node holds. Printed are medians, ours first, and how many times ours the other takes. Lines with other ids are counted.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ROUNDS = 5;
const LOADS = 7;

/** Each imports its library, and gives what opens a file, and gives what turns a text into ids. */
const ENGINES = {
  async wwho() {
    const { Tokenizer } = await import("../../build/npm/wwho/node-tokenizer.js");
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
  const [begin, before] = [performance.now(), process.cpuUsage()];
  (await open(file))("The first text.");
  const clock = performance.now() - begin;
  const { user, system } = process.cpuUsage(before);
  return { clock, processor: (user + system) / 1e3, memory: peak() };
}

/** In turns, so that both meet the same neighbours. */
function loads(engines, file) {
  const run = (engine) => JSON.parse(execFileSync(process.execPath, [import.meta.filename, "--load", engine, file], { encoding: "utf8" }));
  const rounds = Array.from({ length: LOADS }, () => engines.map(run));
  const part = (name, i) => median(rounds.map((round) => round[i][name]));
  return engines.map((_, i) => ({ clock: part("clock", i), processor: part("processor", i), memory: part("memory", i) }));
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
  const [{ memory }] = loads(["nothing"], "");
  for (const file of rest) {
    const [a, b] = loads(["wwho", "theirs"], file);
    const { ns, times, others } = await speeds(lines, file);
    const [grown, more] = [a.memory - memory, b.memory - memory];
    console.log(`${file}: ${ns.toFixed(1)} ns a byte, ${times.toFixed(1)} times; ${others} lines with other ids`);
    console.log(`  loads in ${a.clock.toFixed(0)} ms, ${(b.clock / a.clock).toFixed(1)} times`);
    console.log(`  takes ${a.processor.toFixed(0)} ms of the processor, ${(b.processor / a.processor).toFixed(1)} times`);
    console.log(`  takes ${grown.toFixed(0)} MiB, ${(more / grown).toFixed(1)} times`);
  }
}
