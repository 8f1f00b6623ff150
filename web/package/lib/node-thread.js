// Workers of Node.

import { Worker } from "node:worker_threads";

/**
 * Start a Worker of Node, which is an EventEmitter, and return it with the interface of a web Worker.
 * @param {URL} program the module that it runs
 * @returns {import("./pool.js").Thread} it keeps the process alive until unref() is called
 */
export function spawn(program) {
  // Without the program's own flags: Node rejects some, such as --input-type, for a file.
  const worker = new Worker(program, { execArgv: [] });
  return {
    postMessage: (message, transfer) => worker.postMessage(message, /** @type {any[]} */ (transfer)),
    addEventListener: (type, listener) =>
      worker.on(type, (/** @type {any} */ value) => listener(type === "message" ? { data: value } : value)),
    terminate: () => void worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}
