// The program of the Workers that node-worker.js starts.

import { parentPort } from "node:worker_threads";

import { serve } from "./lib/far-side.js";
import { Tokenizer, init } from "./node-tokenizer.js";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
const receive = serve((message, transfer) => port.postMessage(message, /** @type {any[]} */ (transfer)), {
  init,
  Tokenizer,
});
port.on("message", receive);
// An error of the Worker itself ends it, because no answer would come.
port.on("messageerror", (error) => {
  throw error;
});
