/**
 * Measures one JavaScript tokenizer in a process of its own: a JSON job on stdin, a JSON result on stdout. The same tasks as in
 * worker.py. In a browser there is no stdin: the page calls `run`.
 *
 * Peers are imported only when asked for, so that nothing but the engine is loaded, and cold starts are cold.
 */

const inNode = globalThis.process?.versions?.node !== undefined;
const FIRST_TEXT = "The first text that this process encodes.";
/** Background threads that compile hot code share the one core: they get this long to finish before time is taken. */
const SETTLE_MS = 150;

/** @param {string} path below this folder; a browser gets it from the server at the same place */
async function bytes(path) {
  const url = new URL(path, import.meta.url);
  if (!inNode) return new Uint8Array(await (await fetch(url)).arrayBuffer());
  return (await import("node:fs")).readFileSync(url);
}

const json = async (path) => JSON.parse(new TextDecoder().decode(await bytes(path)));

async function wwho(model, method = "encode") {
  let tokenizer;
  if (inNode) {
    tokenizer = await (await import("../../web/package/node.js")).getEncoding(model);
  } else {
    const { Tokenizer } = await import("../../web/package/index.js");
    tokenizer = await Tokenizer.load(new URL(`../../py/wwho/models/${model}.wwho`, import.meta.url));
  }
  return (text) => tokenizer[method](text);
}

/** Each gives a function from a text to its ids, or to their number. */
const ENGINES = {
  nothing: async () => () => [],
  wwho: () => wwho("o200k_base"),
  wwho_328k: () => wwho("wwho_328k"),
  async hypertok() {
    const { fromBytes } = await import(inNode ? "hypertok" : "./node_modules/hypertok/src/index.mjs");
    const vocabulary = await bytes("node_modules/@hypertok/vocab-o200k/vocab.htk");
    const tokenizer = await fromBytes(vocabulary, { tier: "single" });
    return (text) => tokenizer.encodeSync(text);
  },
  async "gpt-tokenizer"() {
    const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
    return (text) => encode(text);
  },
  async "js-tiktoken"() {
    const [{ Tiktoken }, ranks] = await Promise.all([import("js-tiktoken/lite"), import("js-tiktoken/ranks/o200k_base")]);
    const tokenizer = new Tiktoken(ranks.default);
    return (text) => tokenizer.encode(text, [], []);
  },
  async tiktoken() {
    const { Tiktoken } = await import("tiktoken/lite");
    const { bpe_ranks, special_tokens, pat_str } = await json("node_modules/tiktoken/encoders/o200k_base.json");
    const tokenizer = new Tiktoken(bpe_ranks, special_tokens, pat_str);
    return (text) => tokenizer.encode_ordinary(text);
  },
};

const TASKS = {
  async start({ engine }) {
    const begin = performance.now();
    const encode = await ENGINES[engine]();
    encode(FIRST_TEXT);
    return { seconds: (performance.now() - begin) / 1e3, peak: await peakMemory() };
  },

  async speed({ engine, input, warm_up, limit, check }) {
    const content = await json(input);
    const encode = await ENGINES[engine]();
    await warmUp(encode, content.warm, warm_up);
    const first = timed(encode, content.blocks, limit);
    const blocks = content.blocks.slice(0, first.length);
    const again = timed(encode, blocks, limit);
    return { first, again, checks: check ? await Promise.all(blocks.map((block) => checked(encode, block))) : [] };
  },

  async adversarial({ engine, input, warm_up, limit }) {
    const { texts } = await json(input);
    const encode = await ENGINES[engine]();
    await warmUp(encode, [[FIRST_TEXT]], warm_up);
    const [seconds, checks, errors] = [[], [], []];
    for (const variants of texts) {
      const hopeless = seconds.length && (seconds.at(-1) ?? limit) * 10 > limit;
      let [taken, why] = [[], hopeless ? errors.at(-1) || "too slow to try" : ""];
      try {
        if (!hopeless) taken = timed(encode, variants.map((text) => [text]), limit);
      } catch (error) {
        why = String(error);
      }
      seconds.push(taken.length ? Math.min(...taken) : null);
      checks.push(taken.length ? await checked(encode, variants.slice(0, 1)) : null);
      errors.push(why);
    }
    return { seconds, checks, errors };
  },
};

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

async function warmUp(encode, blocks, seconds) {
  const end = performance.now() + seconds * 1e3;
  do timed(encode, blocks, seconds);
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}

/** Seconds of the processor, on all threads; browsers tell only the time that has passed. */
function clock() {
  if (!inNode) return performance.now() / 1e3;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Seconds for each block, until they add up to `limit`; at least one. */
function timed(encode, blocks, limit) {
  const taken = [];
  let total = 0;
  for (const block of blocks) {
    const begin = clock();
    for (const text of block) encode(text);
    taken.push(clock() - begin);
    total += taken.at(-1);
    if (total > limit) break;
  }
  return taken;
}

/** The number of ids of a block, and their digest where there are ids. */
async function checked(encode, block) {
  const found = block.map((text) => encode(text));
  if (typeof found[0] === "number") return [sum(found), null];
  const ids = Uint32Array.from(found.flatMap((each) => Array.from(each)));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", ids));
  return [ids.length, Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("")];
}

/** The most bytes of memory that this process held; null where the system does not tell. */
async function peakMemory() {
  if (!inNode || process.platform !== "linux") return null;
  const status = (await import("node:fs")).readFileSync("/proc/self/status", "utf8");
  return Number(/VmHWM:\s*(\d+)/.exec(status)[1]) * 1024;
}

export async function run(job) {
  try {
    return await TASKS[job.task](job);
  } catch (error) {
    return { error: String(error) };
  }
}

if (inNode) {
  const { readFileSync } = await import("node:fs");
  console.log(JSON.stringify(await run(JSON.parse(readFileSync(0, "utf8")))));
}
