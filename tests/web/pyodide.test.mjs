// The Python package in Pyodide, whose backend is wwho.wasm: the vectors that every backend must give.
//
// Skipped where there is no npm package pyodide; $WWHO_NODE_MODULES names the folder where it is.

import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ROOT } from "./common.mjs";

const modules = process.env.WWHO_NODE_MODULES
  ? pathToFileURL(`${process.env.WWHO_NODE_MODULES}/`)
  : new URL("tests/node_modules/", ROOT);
const entry = new URL("pyodide/pyodide.mjs", modules);
const missing = await access(entry).then(
  () => false,
  () => `needs pyodide, which is not in ${fileURLToPath(modules)}`,
);

// The package as it lies in the repository, where wwho.web is a folder elsewhere.
const CHECK = `
import sys
sys.path[:0] = ["/project/py", "/project/tests/py"]
import wwho
wwho.__path__.append("/web")
from vector_checks import ENCODINGS, TINY, check_vectors
from wwho import Tokenizer
from wwho.encodings import model_bytes

def check(name, backend):
    enc = Tokenizer(TINY.read_bytes() if name == "tiny" else model_bytes(name), backend)
    check_vectors(enc, name)
    return enc.backend

enc = wwho.get_encoding("o200k_base")
for size in (0, 10, 300_000, 1, 20_000, 10):
    text = ("word " * (size // 5 + 1))[:size]
    assert enc.decode(enc.encode(text)) == text
[check(name, None) for name in ENCODINGS]
`;

test("the vectors, in Pyodide", { skip: missing }, async () => {
  const { loadPyodide } = await import(entry.href);
  const python = await loadPyodide();
  for (const [place, folder] of [
    ["/project", "./"],
    ["/web/web", "web/"],
  ]) {
    python.FS.mkdirTree(place);
    python.FS.mount(python.FS.filesystems.NODEFS, { root: fileURLToPath(new URL(folder, ROOT)) }, place);
  }
  const backends = python.runPython(CHECK).toJs();
  assert.ok(backends.length > 2);
  assert.deepEqual([...new Set(backends)], ["wasm"]);
});
