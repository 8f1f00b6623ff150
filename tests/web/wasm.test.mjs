// The compiled core itself.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { STATUS } from "../../web/lib/errors.js";
import { ROOT, WASM, bytesOf } from "./common.mjs";

const header = await readFile(new URL("wasm/wwho.h", ROOT), "utf8");
const bytes = await bytesOf(WASM);
const module = new WebAssembly.Module(bytes);

test("it imports nothing and has at most 64 KiB", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.ok(bytes.length <= 65536, `${bytes.length} bytes`);
});

test("it exports the functions of wwho.h, its memory and __heap_base", () => {
  const declared = [...header.matchAll(/^(?:int|size_t|uint32_t|const char \*) ?(wwho_\w+)\(/gm)].map(
    (match) => match[1],
  );
  assert.ok(declared.length > 10);
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.deepEqual(exported.sort(), [...declared, "memory", "__heap_base"].sort());
});

test("the status names are those of wwho.h and of the core", () => {
  const declared = Object.fromEntries(
    [...header.split("/* flags")[0].matchAll(/WWHO_([A-Z_]+) = (\d+)/g)].map(([, name, code]) => [Number(code), name]),
  );
  assert.deepEqual({ 0: "OK", ...STATUS }, declared);
  const { exports } = new WebAssembly.Instance(module);
  for (const [code, name] of Object.entries(declared)) {
    const at = exports.wwho_status_str(Number(code));
    const text = Buffer.from(exports.memory.buffer, at, name.length + 1);
    assert.equal(text.toString("latin1"), `${name}\0`);
  }
});
