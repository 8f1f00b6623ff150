import { getEncoding } from "./node_modules/wwho/index.js";

/** @type {Promise<import("wwho").Tokenizer> | undefined} */
let tokenizer;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (!event.request.url.endsWith("/count")) return;
  tokenizer ??= getEncoding("wwho_328k");
  event.respondWith(
    Promise.all([tokenizer, event.request.text()]).then(async ([enc, text]) =>
      Response.json({ count: enc.countTokens(text), streamed: await enc.countStream(new Blob([text])) }),
    ),
  );
});
