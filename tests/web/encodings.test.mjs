// getEncoding: one tokenizer, one download, for all who ask; and the name in the file is the one that was asked for.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";

import { Fetched } from "../../web/package/lib/encodings.js";
import { Tokenizer, getEncoding } from "../../web/package/node.js";
import { O200K } from "./common.mjs";

/** Requests since the test began; each waits until it is answered. @type {{ url: string, closed: Promise<void>, send: Function }[]} */
let requests = [];
/** @type {(() => void)[]} */
let expecting = [];
let server;
let list;
let model;

before(async () => {
  model = await readFile(O200K);
  server = createServer((request, response) => {
    const closed = new Promise((resolve) => response.on("close", resolve));
    requests.push({ url: request.url, closed, send: (status, body) => response.writeHead(status).end(body) });
    expecting.shift()?.();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  list = { o200k_base: () => new URL("/a.wwho", base), cl100k_base: () => new URL("/b.wwho", base) };
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  expecting = [];
});

const newFetched = () => new Fetched((url, options) => Tokenizer.load(url, options));
/** The first request, once it is there. */
async function request(n = 0) {
  while (requests.length <= n) await new Promise((resolve) => expecting.push(resolve));
  return requests[n];
}

test("all who ask get the same tokenizer, of one download", async () => {
  const fetched = newFetched();
  const seen = [];
  const asked = [
    fetched.get(list, "o200k_base"),
    fetched.get(list, "o200k_base", { onProgress: ({ loaded }) => seen.push(loaded) }),
  ];
  (await request()).send(200, model);
  const [first, second] = await Promise.all(asked);
  assert.equal(first, second);
  assert.equal(seen.at(-1), model.length);
  assert.equal(await fetched.get(list, "o200k_base"), first);
  assert.equal(requests.length, 1);
});

test("a freed one is not handed out again", async () => {
  const fetched = newFetched();
  for (const n of [0, 1]) {
    const asked = fetched.get(list, "o200k_base");
    (await request(n)).send(200, model);
    const enc = await asked;
    assert.equal(enc.countTokens("hello world"), 2);
    enc.free();
    assert.equal(enc.freed, true);
  }
  const [first, second] = [await getEncoding("cl100k_base"), await getEncoding("cl100k_base")];
  assert.equal(first, second);
  first.free();
  assert.equal((await getEncoding("cl100k_base")).countTokens("hello world"), 2);
});

test("a load that failed is tried again, by whoever asks next", async () => {
  const fetched = newFetched();
  const again = (error) => {
    assert.match(error.message, /^cannot load o200k_base from http.*HTTP status 404.*"wwho\/o200k_base"/);
    return fetched.get(list, "o200k_base");
  };
  const asked = [fetched.get(list, "o200k_base").catch(again), fetched.get(list, "o200k_base").catch(again)];
  (await request()).send(404, "not here");
  (await request(1)).send(200, model);
  const [first, second] = await Promise.all(asked);
  assert.equal(first, second);
  assert.equal(requests.length, 2);
});

test("the signal of one caller, and what its function throws, ends nobody else's wait", async () => {
  const fetched = newFetched();
  const controller = new AbortController();
  const left = fetched.get(list, "o200k_base", { signal: controller.signal });
  const onProgress = () => {
    throw new RangeError("mine");
  };
  const thrown = fetched.get(list, "o200k_base", { onProgress });
  const stays = fetched.get(list, "o200k_base", { signal: new AbortController().signal });
  const { send } = await request();
  controller.abort(new RangeError("enough"));
  await assert.rejects(left, { name: "RangeError", message: "enough" });
  send(200, model);
  await assert.rejects(thrown, { name: "RangeError", message: "mine" });
  assert.equal((await stays).name, "o200k_base");
  assert.equal(requests.length, 1);
});

test("a download that nobody waits for any more is ended, and the next caller begins another", async () => {
  const fetched = newFetched();
  const controller = new AbortController();
  const asked = [0, 1].map(() => fetched.get(list, "o200k_base", { signal: controller.signal }));
  const { closed } = await request();
  controller.abort();
  for (const each of asked) await assert.rejects(each, { name: "AbortError" });
  await closed;
  const next = fetched.get(list, "o200k_base");
  (await request(1)).send(200, model);
  assert.equal((await next).name, "o200k_base");
  await assert.rejects(fetched.get(list, "o200k_base", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a file of another encoding is refused: bundlers have mixed them up", async () => {
  const asked = newFetched().get(list, "cl100k_base");
  (await request()).send(200, model);
  await assert.rejects(asked, {
    status: "FETCH",
    message: /b\.wwho is the encoding o200k_base, expected cl100k_base; .*import \{ load \} from "wwho\/cl100k_base"/,
  });
});

test("a server that answers with its page, and a program without an address", async () => {
  const asked = newFetched().get(list, "o200k_base");
  (await request()).send(200, "<!doctype html><title>every address is this page</title>");
  await assert.rejects(asked, { status: "FETCH", message: /web page.*import \{ load \} from "wwho\/o200k_base"/ });
  const nowhere = { o200k_base: () => new URL("../models/o200k_base.wwho", undefined) };
  await assert.rejects(newFetched().get(nowhere, "o200k_base"), {
    status: "FETCH",
    message: /^this program does not know its own address.*import \{ load \} from "wwho\/o200k_base"/,
  });
});

test("names that are none, and names of models", async () => {
  for (const name of ["o200_kbase", "", undefined, 7, "toString"]) {
    await assert.rejects(getEncoding(name), { status: "ARGUMENT", message: /expected one of cl100k_base, .*Tokenizer\.load/ });
  }
  for (const name of ["gpt-4o", "gpt-3.5-turbo", "o3-mini", "text-embedding-3-small", "ft:gpt-4o:us:x"]) {
    await assert.rejects(getEncoding(name), { status: "ARGUMENT", message: /encodingForModel of wwho\/openai/ });
  }
});
