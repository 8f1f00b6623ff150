/**
 * A tokenizer.json opened in JavaScript, beside `@huggingface/tokenizers`, which transformers.js uses, in Node.
 *
 *     python tools/build_npm.py
 *     node tools/bench/importing.mjs TOKENIZER.json...
 *
 * Each opens the same file in processes of its own, in turns: from its path to the ids of a text, which must be equal. Printed are
 * medians of ours, and how many times ours the other takes: processor time, time by the clock, and what opening adds to the most memory
 * that Node holds.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ROUNDS = 7;
const TEXT = "The first text, of 2 lines:\n  and a second one.";

/** Each opens a file, and returns the ids of the text. */
const ENGINES = {
  async wwho(file) {
    const { importTokenizer } = await import("../../build/npm/wwho/node-import.js");
    const { Tokenizer } = await import("../../build/npm/wwho/node-tokenizer.js");
    const onReport = ({ by, why }) => {
      if (by !== "javascript") throw new Error(`${file} is imported by ${by}: ${why}`);
    };
    return Array.from(Tokenizer.loadSync(await importTokenizer(file, { onReport })).encode(TEXT));
  },
  async theirs(file) {
    const { Tokenizer } = await import("@huggingface/tokenizers");
    return new Tokenizer(JSON.parse(readFileSync(file, "utf8")), {}).encode(TEXT, { add_special_tokens: false }).ids;
  },
  nothing: async () => [],
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const peak = () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024; // MiB

async function opened(engine, file) {
  const [begin, before] = [performance.now(), process.cpuUsage()];
  const ids = await ENGINES[engine](file);
  const clock = performance.now() - begin;
  const { user, system } = process.cpuUsage(before);
  return { clock, processor: (user + system) / 1e3, memory: peak(), ids };
}

/** Return what an engine takes in a new process. */
const inProcess = (engine, file) => JSON.parse(execFileSync(process.execPath, [import.meta.filename, "--open", engine, file], { encoding: "utf8" }));

const [first, ...rest] = process.argv.slice(2);
if (first === "--open") {
  console.log(JSON.stringify(await opened(...rest)));
} else {
  const base = median(Array.from({ length: ROUNDS }, () => inProcess("nothing", "").memory));
  for (const file of [first, ...rest]) {
    const rounds = Array.from({ length: ROUNDS }, () => ["wwho", "theirs"].map((engine) => inProcess(engine, file)));
    if (rounds.some(([ours, theirs]) => String(ours.ids) !== String(theirs.ids))) throw new Error(`${file}: other ids`);
    console.log(file);
    for (const [part, unit, less] of [["processor", "ms", 0], ["clock", "ms", 0], ["memory", "MiB", base]]) {
      const [ours, theirs] = [0, 1].map((i) => median(rounds.map((round) => round[i][part])) - less);
      console.log(`  ${part}: ${ours.toFixed(0)} ${unit}, theirs ${(theirs / ours).toFixed(2)} times`);
    }
  }
}
