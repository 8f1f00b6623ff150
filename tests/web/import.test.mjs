// wwho/import in Node, with a Pyodide that only says which files Python would find: what is read, how it is named, what is refused, and what
// needs no Python. (test_package.py imports with the real one, and test_import_javascript.py compares the bytes.)

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT } from "./common.mjs";

const { importTokenizer } = await import(new URL("web/package/node-import.js", ROOT).href);
const { Tokenizer } = await import(new URL("web/package/node-tokenizer.js", ROOT).href);

const FAKE = `
export async function loadPyodide() {
  const files = {};
  let argv, seen;
  const FS = {
    mkdir() {},
    unlink: (path) => delete files[path],
    writeFile: (path, data) => (files[path] = [data.length, String.fromCharCode(...data.subarray(0, 4))]),
    readFile: () => new TextEncoder().encode(JSON.stringify({ files: seen, argv: JSON.parse(argv) })),
  };
  return {
    FS,
    globals: { set: (_, value) => (argv = value) },
    unpackArchive(archive) {
      if (archive[0] !== 80) throw new Error("Traceback\\n  File shutil.py\\nshutil.ReadError: not a zip file\\n");
    },
    runPython() {
      if (argv.includes("--license=fail")) throw new Error("Traceback\\n  File x.py\\nValueError: why\\n");
      seen = { ...files };
      return JSON.stringify([0, "{}", ""]);
    },
  };
}`;
let folder = "";
/** @type {{ pyodideURL: string, wheelURL: Uint8Array }} */
let options;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wwho-import-"));
  await writeFile(join(folder, "pyodide.mjs"), FAKE);
  options = { pyodideURL: folder, wheelURL: new TextEncoder().encode("PK") };
});
after(() => rm(folder, { recursive: true }));

/** The files that Python finds, with how many bytes they have and the first four. @param {unknown} source @param {object} [more] */
async function found(source, more) {
  return JSON.parse(new TextDecoder().decode(await importTokenizer(source, { ...options, ...more })));
}

/** @param {string} name @param {string} start @param {number} size with nothing behind the start, on the disk neither */
async function sparse(name, start, size) {
  const path = join(folder, name);
  const file = await open(path, "w");
  await file.write(start);
  await file.truncate(size);
  await file.close();
  return path;
}

test("of a GGUF of gigabytes, the beginning is read", async () => {
  const path = await sparse("large.gguf", "GGUF", 3 * 2 ** 30);
  const head = [2 ** 27, "GGUF"];
  assert.deepEqual((await found(path)).files, { "/import/large.gguf": head });
  assert.deepEqual((await found(await openAsBlob(path))).files, { "/import/tokenizer": head });
  const small = await sparse("small.gguf", "GGUF", 5);
  assert.deepEqual((await found(small)).files, { "/import/small.gguf": [5, "GGUF"] });
  await assert.rejects(found(await sparse("large.bin", "x", 3 * 2 ** 30)), { status: "FETCH", message: /no tokenizer is that large/ });
});

test("Blobs of files", async () => {
  const path = await sparse("a.json", "{}", 9);
  const file = new File([await openAsBlob(path)], "b.json");
  assert.deepEqual((await found(file)).files, { "/import/b.json": [9, "{}\0\0"] });
});

test("names of files", async () => {
  const start = '{" "'; // Python says what is wrong with it
  const bytes = new TextEncoder().encode(start);
  const named = (/** @type {string} */ name) => new File([bytes], name);
  const file = [4, start];
  assert.deepEqual((await found([bytes, named("x.json")])).files, { "/import/tokenizer": file, "/import/x.json": file });
  for (const [source, name] of [[named(".."), "tokenizer"], [named("a\0b"), "a_b"], [`data:application/json;base64,${btoa(start)}`, "tokenizer"]]) {
    const { files, argv } = await found(source);
    assert.deepEqual(files, { [`/import/${name}`]: file });
    assert.equal(argv.at(-1), name);
  }
  const again = "file 2 of the list has the name of another";
  for (const [list, message] of [
    [[bytes, bytes], "file 2 of the list has no name; pass a File"],
    [[named("a"), new Blob([bytes])], "file 2 of the list has no name; pass a File"],
    [[named("a"), named("a")], again],
    [[bytes, named("tokenizer")], again],
  ]) {
    await assert.rejects(found(list), (/** @type {any} */ error) => error.status === "ARGUMENT" && error.message.startsWith(message));
  }
});

test("wrong options", async () => {
  const wrong = [{ signal: {} }, { signal: null }, { onProgress: 5 }, { onReport: 5 }, { onReport: null }, { special: null }, { special: ["a"] }, { keepPython: 1 }, { name: "a\0b" }];
  for (const option of wrong) {
    await assert.rejects(found(new Blob(["{}"]), option), { name: "WwhoError", status: "ARGUMENT" }, JSON.stringify(option));
  }
});

test("errors say in one line what to do", async () => {
  const source = new Blob(["GGUF"]);
  await assert.rejects(found(source, { wheelURL: new TextEncoder().encode("<!DOCTYPE html>") }), { status: "FETCH", message: /^wwho in Python is no zip archive; .*wheelURL$/ });
  // There is no python.zip among the sources.
  await assert.rejects(found(source, { wheelURL: undefined }), { status: "FETCH", message: /wheelURL/ });
  await assert.rejects(found(source, { license: "fail" }), { status: "WORKER", message: "ValueError: why" });
});

/** A byte-level tokenizer.json of 256 bytes and one merge. @param {object} [more] parts of it */
function byteLevel(more) {
  const level = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true };
  const bytes = Array.from({ length: 256 }, (_, i) => i);
  const isItself = (/** @type {number} */ byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let others = 0x100;
  const tokens = [...bytes.map((byte) => String.fromCharCode(isItself(byte) ? byte : others++)), "ab"];
  const model = { type: "BPE", vocab: Object.fromEntries(tokens.map((text, id) => [text, id])), merges: ["a b"] };
  return new Blob([JSON.stringify({ added_tokens: [], pre_tokenizer: level, decoder: level, model, ...more })]);
}

test("a byte-level tokenizer.json needs no Python", async () => {
  /** @type {any} */
  let report;
  /** @type {string[]} */
  const steps = [];
  const more = { pyodideURL: "none", name: "mine", onReport: (/** @type {any} */ said) => (report = said), onProgress: (/** @type {any} */ { step }) => steps.push(step) };
  const enc = Tokenizer.loadSync(await importTokenizer(byteLevel(), more));
  assert.deepEqual([...enc.encode("cab")], [99, 256]);
  assert.equal(enc.name, "mine");
  assert.deepEqual([report.by, report.why, report.notes, report.losses, steps], ["javascript", undefined, [], [], ["load", "import"]]);
  const normalized = Tokenizer.loadSync(await importTokenizer(byteLevel({ normalizer: { type: "NFC" } }), { ...more, name: "nfc" }));
  assert.equal(normalized.decode(normalized.encode("e\u0301")), "\u00e9");
  assert.deepEqual(report.losses, ["characters become their canonical forms, as in NFC and NFD"]);
});

test("what JavaScript does not read goes to Python, and the report says why", async () => {
  const split = { type: "Split", pattern: { Regex: "x" }, behavior: "Isolated", invert: false };
  const whole = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };
  const cases = [
    [byteLevel({ normalizer: { type: "Lowercase" } }), {}, "its normalizer is Lowercase"],
    [byteLevel({ pre_tokenizer: { type: "Sequence", pretokenizers: [split, whole] } }), {}, "its pretokenizer is none that this package has compiled"],
    [byteLevel(), { pattern: "gpt2" }, "the option pattern is given"],
    [new Blob(["GGUF"]), {}, "it is no JSON"],
  ];
  for (const [source, more, why] of cases) {
    /** @type {any} */
    let report;
    await found(source, { ...more, onReport: (/** @type {any} */ said) => (report = said) });
    assert.deepEqual([report.by, report.why], ["python", why]);
    await assert.rejects(importTokenizer(source, { ...more, pyodideURL: "none", wheelURL: options.wheelURL }), { status: "FETCH" });
  }
});

test("Python may stay for the next import", async () => {
  /** The steps of an import; the error if there is one. @param {object} more @param {Blob} [source] */
  const stepsOf = async (more, source = new Blob(["GGUF"])) => {
    /** @type {string[]} */
    const steps = [];
    const failed = await found(source, { keepPython: true, onProgress: (/** @type {any} */ { step }) => steps.push(step), ...more }).then(() => [], ({ status }) => [status]);
    return [...steps, ...failed].join(" ");
  };
  const none = new Blob([]);
  assert.equal(await stepsOf({}), "load start import");
  assert.equal(await stepsOf({}), "load import");
  assert.equal(await stepsOf({}, none), "load IMPORT"); // and Python stays
  assert.equal(await stepsOf({ keepPython: false }), "load start import");
  assert.equal(await stepsOf({}), "load import");
  const both = await Promise.all([stepsOf({}), stepsOf({})]);
  assert.deepEqual(both.sort(), ["load import", "load start import"]);
  assert.equal(await stepsOf({ wheelURL: new TextEncoder().encode("PK ") }), "load start import"); // another Python
  assert.equal(await stepsOf({ license: "fail" }), "load start import WORKER"); // and no more of that one
  assert.equal(await stepsOf({}), "load start import");
  const reason = new Error("enough");
  const stopped = new AbortController();
  await assert.rejects(found(new Blob(["GGUF"]), { keepPython: true, signal: stopped.signal, onProgress: () => stopped.abort(reason) }), reason);
  const { files } = await found(new File(["GGUF"], "b.gguf"), { keepPython: true });
  assert.deepEqual(Object.keys(files), ["/import/b.gguf"]);
  const wheel = () => new URL("data:application/zip,PK");
  assert.equal(await stepsOf({ wheelURL: wheel() }), "load start import");
  assert.equal(await stepsOf({ wheelURL: wheel() }), "load import"); // an equal address is the same Python
});

test("what is no tokenizer by its beginning is refused without Python, in its words", async () => {
  const kinds = [
    ["", "it is empty; fetch it again"],
    ["<!DOCTYPE html>", "a web page; check that the address leads to the file itself"],
    ['{"hidden_size": 8}', "the settings of a model; take the tokenizer.json beside it"],
    ["It's \\ tea\n", 'it begins with b"It\'s \\\\ tea\\n", and is no kind of tokenizer that is known: a tokenizer of SCRIPT (sebpe-v1)'],
  ];
  for (const [content, message] of kinds) {
    const refused = importTokenizer(new File([content], "my.json"), { pyodideURL: "none" });
    await assert.rejects(refused, (/** @type {any} */ error) => error.status === "IMPORT" && error.message.startsWith(`my.json: ${message}`), content);
  }
  assert.deepEqual((await found(new File([], "vocab.json"))).files, { "/import/vocab.json": [0, ""] }); // the files beside it count
  await assert.rejects(importTokenizer(new Blob(["GGUF"]), { pyodideURL: "none", wheelURL: options.wheelURL }), { status: "FETCH" });
});
