// The program of the Workers that worker.js starts.

import { Tokenizer, init } from "./index.js";
import { serve } from "./lib/far-side.js";

const receive = serve((message, transfer) => self.postMessage(message, { transfer }), { init, Tokenizer });
self.addEventListener("message", ({ data }) => receive(data));
// An error of the Worker's, which ends it: nobody would answer.
self.addEventListener("messageerror", () => {
  throw new Error("what was sent cannot be read");
});
