// Artifacts that are none: each refused at load, with the status of the rule that is broken.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";

import { Tokenizer, init } from "../../web/package/node.js";
import { ROOT, WWHO, bytesOf } from "./common.mjs";

let good;
before(async () => {
  await init();
  good = await bytesOf(WWHO);
});

/** A changed copy, optionally with a checksum that is right again. */
function changed(change, resum = false) {
  const bytes = good.slice();
  change(new DataView(bytes.buffer), bytes);
  if (resum) {
    new DataView(bytes.buffer).setUint32(16, checksum(bytes), true);
  }
  return bytes;
}

const checksum = (bytes) => crc32(bytes.subarray(20), crc32(bytes.subarray(0, 16)));

const refused = (bytes, status, message) =>
  assert.rejects(Tokenizer.load(bytes), (error) => {
    assert.equal(error.name, "WwhoError");
    assert.equal(error.status, status, error.message);
    if (message) assert.match(error.message, message);
    return true;
  });

test("the unchanged file has the checksum that this test computes", () => {
  assert.equal(new DataView(good.buffer, good.byteOffset).getUint32(16, true), checksum(good));
});

test("other kinds of file", async () => {
  const encode = (text) => new TextEncoder().encode(text);
  await refused(encode('{"model": {"type": "BPE"}}   '), "MAGIC", /7b 22.*expected 89 57 57 48/);
  await refused(encode("<!doctype html><title>404 Not Found</title>"), "MAGIC", /web page/);
  await refused(
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1]),
    "MAGIC",
  );
});

test("cut short and too long", async () => {
  for (const length of [8, 19, 20, 100, good.length >> 1, good.length - 4, good.length - 1]) {
    await refused(good.slice(0, length), "TRUNCATED", new RegExp(`${length} bytes`));
  }
  const longer = new Uint8Array(good.length + 4);
  longer.set(good);
  await refused(longer, "TRAILING", new RegExp(`${good.length + 4} bytes, expected ${good.length}`));
});

test("header fields", async () => {
  await refused(
    changed((view) => view.setUint16(8, 4, true)),
    "VERSION",
    /version is 4, expected 3/,
  );
  await refused(
    changed((view) => view.setUint32(100, 0xffffffff, true)),
    "CHECKSUM",
    /fetch it again/,
  );
});

test("any flipped byte is seen", async () => {
  for (let at = 20; at < good.length; at += Math.floor(good.length / 97)) {
    await refused(
      changed((_, bytes) => {
        bytes[at] ^= 0x10;
      }),
      "CHECKSUM",
    );
  }
});

test("counts that lie, with a checksum that is right", async () => {
  const sectionAt = (view, kind) => {
    for (let at = 20; ; at += 12) if (view.getUint32(at, true) === kind) return view.getUint32(at + 4, true);
  };
  await refused(
    changed((view) => view.setUint16(sectionAt(view, 1), 0, true), true),
    "CLASSES",
  );
  await refused(
    changed((view) => view.setUint16(sectionAt(view, 2) + 4, 0xffff, true), true),
    "AUTOMATON_SHAPE",
  );
  await refused(
    changed((view) => view.setUint16(sectionAt(view, 4) + 2, 63, true), true),
    "ROUTES",
  );
  await refused(
    changed((view) => view.setUint32(sectionAt(view, 5) + 20, 0xffffffff, true), true),
    "MODEL",
  );
  await refused(
    changed((view, bytes) => {
      bytes[sectionAt(view, 5) + 41] = 0; // the end of the first text
    }, true),
    "SYMBOLS",
  );
  await refused(
    changed((view) => view.setUint32(20 + 4, 0x7ffffff0, true), true),
    "SECTION_BOUNDS",
  );
});

test("a provenance that is no JSON object of strings", async () => {
  const bad = changed((view, bytes) => {
    for (let at = 20; ; at += 12) {
      if (view.getUint32(at, true) === 10) {
        bytes[view.getUint32(at + 4, true)] = 0x5b;
        return;
      }
    }
  }, true);
  await refused(bad, "PROVENANCE", /JSON object/);
});

test("the attacks of tools/gen_attacks.py: each is refused with the status in its name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "attacks-"));
  const python = new URL(process.platform === "win32" ? ".venv/Scripts/python.exe" : ".venv/bin/python", ROOT);
  execFileSync(fileURLToPath(python), [fileURLToPath(new URL("tools/gen_attacks.py", ROOT)), folder]);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".wwho"));
  assert.ok(names.length > 100, `${names.length} attacks`);
  for (const name of names) {
    await refused(await readFile(join(folder, name)), name.split("-")[0]).catch((error) => {
      error.message = `${name}: ${error.message}`;
      throw error;
    });
  }
  await rm(folder, { recursive: true });
});
