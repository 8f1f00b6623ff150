/**
 * WASM `encode` in Node beside gpt-tokenizer's, in one process; and whether time grows with length alone.
 *
 *   cd tools/bench && npm install && node speed.mjs [--model NAME]... [NAME=FILE]...
 *
 * Without files, texts.py (Python) writes the texts. See speed.py for "unseen" and "repeated".
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { encode as peerEncode } from "gpt-tokenizer/encoding/o200k_base";

import { getEncoding } from "../../web/node.js";

const SLICES = 20;
const UNITS = { a: "a", space: " ", "ක": "ක", "क्": "क्", emoji: "😀" };
const [SHORT, LONG] = [100_000, 1_000_000];

const { values, positionals } = parseArgs({
  options: { model: { type: "string", multiple: true, default: ["o200k_base", "wwho_328k"] } },
  allowPositionals: true,
});

/** @returns {Map<string, string>} the texts by name */
function texts() {
  if (positionals.length) {
    return new Map(positionals.map((each) => {
      const [name, ...file] = each.split("=");
      return [name, readFileSync(file.join("="), "utf8")];
    }));
  }
  const folder = mkdtempSync(join(tmpdir(), "wwho-bench-"));
  try {
    const script = fileURLToPath(new URL("texts.py", import.meta.url));
    execFileSync("python3", [script, folder], { stdio: ["ignore", "inherit", "inherit"] });
    return new Map(readdirSync(folder).map((file) => [basename(file, ".txt"), readFileSync(join(folder, file), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds that one call takes. */
function time(encode, text) {
  const start = performance.now();
  encode(text);
  return performance.now() - start;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Encode the slices of a text by turns, and print speeds (MB/s) and the ratio, unseen and repeated. */
function compare(name, text, encode) {
  const size = Math.max(1, Math.floor(text.length / (SLICES + 1)));
  const slices = Array.from({ length: SLICES + 1 }, (_, k) => text.slice(k * size, (k + 1) * size).toWellFormed());
  const [first, ...rest] = slices;
  encode(first), peerEncode(first);
  let row = name.padEnd(10);
  for (const _ of ["unseen", "repeated"]) {
    const pairs = rest.map((slice, k) => {
      const megabytes = Buffer.byteLength(slice) / 1e6;
      let mine, other;
      if (k % 2) [other, mine] = [time(peerEncode, slice), time(encode, slice)];
      else [mine, other] = [time(encode, slice), time(peerEncode, slice)];
      return [megabytes / mine * 1e3, megabytes / other * 1e3];
    });
    const columns = [0, 1].map((k) => median(pairs.map((pair) => pair[k])).toFixed(1).padStart(8));
    row += `${columns.join("")} ${median(pairs.map(([a, b]) => a / b)).toFixed(2).padStart(6)}x     `;
  }
  console.log(row.trimEnd());
}

/** How much longer the long run of a unit takes than the short one, each at its best. */
function growth(encode, unit) {
  const [short, long] = [unit.repeat(SHORT), unit.repeat(LONG)];
  encode(long);
  const times = Array.from({ length: 7 }, () => [time(encode, long), time(encode, short)]);
  const [bestLong, bestShort] = [0, 1].map((k) => Math.min(...times.map((pair) => pair[k])));
  return bestLong / bestShort;
}

/** A part of the text for each model: the peer has a cache, and must see nothing twice. */
function share(text, number, count) {
  return text.slice(Math.floor(text.length * number / count), Math.floor(text.length * (number + 1) / count));
}

const measured = texts();
for (const [number, model] of values.model.entries()) {
  const tokenizer = await getEncoding(model);
  const encode = (text) => tokenizer.encode(text);
  console.log(`\n${model} (WASM) and gpt-tokenizer (o200k_base), MB/s: unseen, ratio; repeated, ratio`);
  for (const [name, text] of measured) compare(name, share(text, number, values.model.length), encode);
  console.log(`\n${model}: time of ${LONG} characters over that of ${SHORT} (10 is linear)`);
  for (const [name, unit] of Object.entries(UNITS)) console.log(name.padEnd(10), growth(encode, unit).toFixed(2));
}
