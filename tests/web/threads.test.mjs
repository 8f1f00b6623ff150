// Workers that share one compiled core and one artifact. This file is the test, and the program of its Workers.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

import { Tokenizer } from "../../web/package/node.js";
import { O200K, TEXTS, WASM, WWHO, bytesOf, randomNumbers } from "./common.mjs";

const WORKERS = 4;
const LINES = [...TEXTS, TEXTS.join(" ").repeat(200), ...TEXTS.map((text) => text.repeat(30))];

/** What every method gives, as text. @param {Tokenizer} tokenizer @param {string} text */
function answers(tokenizer, text) {
  const ids = tokenizer.encode(text);
  const { starts, ends } = tokenizer.encodeWithOffsets(text);
  const units = tokenizer.segment(text.slice(0, 1000)).map((segment) => segment.units);
  return JSON.stringify([[...ids], [...starts], [...ends], tokenizer.countTokens(text), tokenizer.decode(ids), units]);
}

/** All lines twice, in an order of the Worker's own. */
function work({ module, blob, seed }) {
  const tokenizer = new Tokenizer(module, blob);
  const random = randomNumbers(seed);
  const order = [...LINES.keys(), ...LINES.keys()].sort(() => random() - 0.5);
  return order.map((k) => [k, answers(tokenizer, LINES[k])]);
}

if (!isMainThread) {
  parentPort?.postMessage(work(workerData));
} else {
  for (const url of [O200K, WWHO]) {
    test(`${WORKERS} Workers give what this thread gives: ${url.pathname.split("/").at(-1)}`, async () => {
      const [module, bytes] = [new WebAssembly.Module(await bytesOf(WASM)), await bytesOf(url)];
      const blob = new Uint8Array(new SharedArrayBuffer(bytes.length));
      blob.set(bytes);
      const tokenizer = new Tokenizer(module, bytes);
      const expected = LINES.map((line) => answers(tokenizer, line));
      const workers = Array.from({ length: WORKERS }, (_, seed) => {
        return new Worker(new URL(import.meta.url), { workerData: { module, blob, seed } });
      });
      const found = await Promise.all(workers.map((worker) => once(worker, "message")));
      for (const [lines] of found) {
        assert.equal(lines.length, 2 * LINES.length);
        for (const [k, answer] of lines) assert.equal(answer, expected[k], LINES[k].slice(0, 50));
      }
      assert.deepEqual(blob, bytes);
    });
  }
}
