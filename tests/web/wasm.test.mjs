// The compiled core itself.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";

import { files } from "../../tools/gen_header.mjs";
import { ROOT, WASM, bytesOf } from "./common.mjs";

const header = await readFile(new URL("wasm/include/wwho.h", ROOT), "utf8");
const bytes = await bytesOf(WASM);
const module = new WebAssembly.Module(bytes);

test("it imports nothing and has at most 96 KiB, or 42,000 bytes compressed", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.ok(bytes.length <= 96 * 1024, `${bytes.length} bytes`);
  const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  assert.ok(small <= 42_000, `${small} bytes with brotli`);
});

test("it exports the functions of wwho.h that return numbers, without the prefix, its memory and __heap_base", () => {
  const declared = [...header.matchAll(/^(?:int|size_t|uint32_t) wwho_(\w+)\(/gm)].map((match) => match[1]);
  assert.ok(declared.length > 10);
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.deepEqual(exported.sort(), [...declared, "memory", "__heap_base"].sort());
});

test("the numbers and names of JavaScript and Python are those of wwho.h", async () => {
  for (const [path, text] of Object.entries(await files())) {
    assert.equal(await readFile(new URL(path, ROOT), "utf8"), text, "node tools/gen_header.mjs writes them");
  }
});

/** tiny.wwho opened by hand: the exports, the model, and the first byte of memory behind all that. @param {number} room */
async function openTiny(room) {
  const { exports } = new WebAssembly.Instance(module);
  const blob = await bytesOf(new URL("tests/vectors/tiny.wwho", ROOT));
  const place = (/** @type {number} */ size) => {
    const at = exports.memory.buffer.byteLength;
    exports.memory.grow(Math.ceil(size / 65536));
    return at;
  };
  const [file, out] = [place(blob.length), place(4)];
  const word = () => new Uint32Array(exports.memory.buffer, out, 1)[0];
  new Uint8Array(exports.memory.buffer).set(blob, file);
  assert.equal(exports.workspace_size(file, blob.length, out), 0);
  const size = word();
  assert.equal(exports.open(file, blob.length, place(size), size, out), 0);
  return { exports, model: word(), out, at: place(room) };
}

test("the scratch is of the size that the header states, whatever the text", async () => {
  const { exports, model } = await openTiny(1);
  const stated = 2 ** 20 * Number(/needs: at most (\d+) MiB, whatever/.exec(header)?.[1]);
  const size = exports.scratch_size(model) >>> 0;
  assert.ok(size > 0 && size <= stated, `${size}`);
});

test("a text that no memory holds is refused before it is read", async () => {
  const { exports, model, at } = await openTiny(2 ** 23 + 64);
  const job = at + 2 ** 23; // the scratch and its size; nothing but the number of tokens is wanted
  new Uint32Array(exports.memory.buffer, job, 2).set([at, 2 ** 23]);
  // It would begin at the last byte of memory: to read the second one is a trap.
  const text = exports.memory.buffer.byteLength - 1;
  for (const length of [2 ** 31, 2 ** 32 - 16, 2 ** 32 - 1]) {
    assert.equal(exports.encode(model, text, length, 0, job), 1);
    assert.equal(exports.offsets(text, length, 0, 0, 0, 0, 0, 0), 1);
  }
  assert.equal(exports.encode(model, text, 1, 0, job), 0);
});
