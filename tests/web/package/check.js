// The vectors that every backend must give, and one call of each method: in any runtime, on the package as it is installed.

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {unknown} given "all" or a list, as the options take it */
const special = (given) => (Array.isArray(given) ? new Set(given) : given);

const same = (found, expected, what) => {
  const [one, two] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== two) throw new Error(`${what}: ${one?.slice(0, 200)}, expected ${two?.slice(0, 200)}`);
};

/** Each gives the status of the error that it meets. */
async function statusOf(call) {
  try {
    await call();
  } catch (error) {
    return error.name === "WwhoError" ? error.status : String(error);
  }
  return "none";
}

function checkLine(tokenizer, line) {
  if (line.error) return false;
  if (line.decode_hex !== undefined) {
    same([...tokenizer.decodeBytes(line.ids)], [...fromHex(line.decode_hex)], "decode");
    return true;
  }
  const text = line.text ?? fromHex(line.bytes_hex);
  const options = { allowedSpecial: special(line.allowed), unk: line.unk ? "token" : "spell" };
  const { ids, starts, ends } = tokenizer.encodeWithOffsets(text, options);
  same([...ids], line.ids, "ids");
  same(
    Array.from(starts, (start, i) => [start, ends[i]]),
    line.utf16,
    "offsets",
  );
  same(tokenizer.countTokens(text, options), line.count, "count");
  same(
    [...tokenizer.encodeGenerator(text, options)].flatMap((part) => [...part]),
    line.ids,
    "encodeGenerator",
  );
  return true;
}

async function checkMethods(tokenizer) {
  const text = "ඔයා 1 special अद्भुत 👩‍👩‍👧 ".repeat(20_000);
  const count = tokenizer.countTokens(text);
  same(await tokenizer.countStream(new Blob([text])), count, "countStream of a Blob");
  same(await tokenizer.countStream(new Blob([text]).stream()), count, "countStream of a stream");
  same(await tokenizer.countStream([text.slice(0, 17), text.slice(17)]), count, "countStream of strings");
  const start = tokenizer.truncate(text, 100);
  same(text.startsWith(start) && tokenizer.isWithinTokenLimit(start, 100) > 90, true, "truncate");
  same(
    tokenizer
      .chunk(text, 1000)
      .map((chunk) => chunk.text)
      .join(""),
    text,
    "chunk",
  );
  const target = new Uint32Array(7);
  const { read, written } = tokenizer.encodeInto(text, target);
  same(tokenizer.decode(target.subarray(0, written)), text.slice(0, read), "encodeInto");
  const ids = tokenizer.encode(start);
  same([...tokenizer.decodeGenerator(ids)].join(""), start, "decodeGenerator");
  let decoded = "";
  for await (const part of tokenizer.decodeAsyncGenerator(ids)) decoded += part;
  same(decoded, start, "decodeAsyncGenerator");
  same(
    tokenizer
      .segment(start)
      .map((segment) => segment.text)
      .join(""),
    start,
    "segment",
  );
  same(tokenizer.decode(tokenizer.encode("\ud800 \0 \ufeff")), "\ufffd \0 \ufeff", "lone surrogate, NUL, U+FEFF");
  same(await statusOf(() => tokenizer.decode([-1])), "TOKEN", "an id that is none");
  tokenizer.free();
  same(await statusOf(() => tokenizer.encode("a")), "FREED", "freed");
}

/**
 * @param {(name: string) => Promise<any>} open a tokenizer by its name
 * @param {(name: string) => Promise<string>} read a file of tests/vectors
 * @param {string[]} names
 * @returns {Promise<Record<string, number>>} lines of vectors checked, by tokenizer
 */
export async function check(open, read, names) {
  const checked = {};
  for (const name of names) {
    const tokenizer = await open(name);
    const lines = (await read(`${name}.jsonl`)).trim().split("\n");
    checked[name] = 0;
    lines.forEach((json, i) => {
      try {
        if (checkLine(tokenizer, JSON.parse(json))) checked[name]++;
      } catch (error) {
        throw new Error(`${name}.jsonl, line ${i + 1}: ${error.message}`);
      }
    });
    await checkMethods(tokenizer);
  }
  return checked;
}

/**
 * @param {(name: string) => Promise<any>} open a tokenizer of tests/vectors by its name
 * @param {(name: string) => Promise<string>} read a file of tests/vectors
 * @returns {Promise<Record<string, number>>} lines of after.json checked, by tokenizer: SCRIPT, OSPE and others
 */
export async function checkAfter(open, read) {
  const checked = {};
  const opened = {};
  for (const { encoding, text, pair, special, ids, skip, decoded } of JSON.parse(await read("after.json"))) {
    const tokenizer = (opened[encoding] ??= await open(encoding));
    const options = { ...(pair !== null && { pair }), addSpecialTokens: special };
    if (text === undefined) same(tokenizer.decode(ids, { skipSpecialTokens: skip }), decoded, encoding);
    else same([...tokenizer.encode(text, options)], ids, `${encoding}, ${text}`);
    checked[encoding] = (checked[encoding] ?? 0) + 1;
  }
  return checked;
}

export const NAMES = ["o200k_base", "cl100k_base", "wwho_328k", "wwho_super_328k"];
