// The side in the Worker: a tokenizer that gets messages { method, values, setup? }, one at a time, and answers with { result } or
// { error }. Before that, it may send { progress } and { item }, and { wanted } to ask for the next { chunk, done } of a stream.

/** @typedef {{ init: (wasm?: any) => Promise<void>, Tokenizer: { load: (source: any) => Promise<any> } }} Entry what wwho exports */

/**
 * Return a function that receives the messages of the other side, runs the method that each names, and sends the answer. The first message
 * has a `setup` with the sources of the core and the tokenizer, which are loaded before its method runs.
 * @param {(message: unknown, transfer: Transferable[]) => void} send sends a message to the other side
 * @param {Entry} entry
 * @returns {(message: any) => void} to be called with each message; it never throws, but sends { error }, with `load` true while no
 *   tokenizer is loaded
 */
export function serve(send, { init, Tokenizer }) {
  /** @type {any} */
  let tokenizer;
  /** Hands a chunk to the method that waits for it. @type {(given: { chunk: any, done: boolean }) => void} */
  let receiveChunk;

  /**
   * Yield the chunks of a stream of the other side, and ask for each, with { wanted }, when it is needed; end when the other side says that
   * it is done.
   */
  async function* chunks() {
    for (;;) {
      const next = new Promise((resolve) => (receiveChunk = resolve));
      send({ wanted: true }, []);
      const { chunk, done } = await next;
      if (done) return;
      yield chunk;
    }
  }

  const onProgress = (/** @type {unknown} */ progress) => send({ progress }, []);

  /**
   * Methods that are not those of Tokenizer: generators send items one by one, streams come as chunks, encodeInto writes into an array of
   * its own, because the caller's is on the other side, and of a tokenizer with further special tokens the file is sent.
   * @type {Record<string, (...values: any[]) => any>}
   */
  const methods = {
    describe() {
      const { name, info, provenance, specialTokens } = tokenizer;
      return { name, info, provenance, specialTokens };
    },
    withSpecialTokens(tokens, options) {
      const extended = tokenizer.withSpecialTokens(tokens, options);
      const file = extended.toBytes();
      extended.free();
      return file;
    },
    countStream: (blob, options) => tokenizer.countStream(blob ?? chunks(), { ...options, onProgress }),
    encodeInto(text, room, options) {
      const target = new Uint32Array(room);
      const { read, written } = tokenizer.encodeInto(text, target, options);
      return { read, ids: target.slice(0, written) };
    },
    encodeGenerator(text, options) {
      for (const item of tokenizer.encodeGenerator(text, options)) send({ item }, buffersOf(item));
    },
    async encodeStream(options) {
      for await (const item of tokenizer.encodeStream(chunks(), { ...options, onProgress })) send({ item }, buffersOf(item));
    },
    decodeGenerator(ids, options) {
      for (const item of tokenizer.decodeGenerator(ids, options)) send({ item }, []);
    },
    async decodeAsyncGenerator(options) {
      for await (const item of tokenizer.decodeAsyncGenerator(chunks(), options)) send({ item }, []);
    },
  };

  /** Receive one message. @param {any} message */
  return async ({ method, values, setup, chunk, done }) => {
    if (method === undefined) return receiveChunk({ chunk, done });
    try {
      if (setup) {
        await init(setup.wasm);
        tokenizer = await Tokenizer.load(setup.model);
      }
      const result = await (methods[method] ?? ((...given) => tokenizer[method](...given)))(...values);
      send({ result }, buffersOf(result));
    } catch (error) {
      const { status = "INTERNAL", message } = /** @type {any} */ (error);
      send({ error: { status, message, load: tokenizer === undefined } }, []);
    }
  };
}

/**
 * Serve the page that started this Worker of the web: receive its messages, and answer them, until the page ends the Worker.
 * @param {Entry} entry
 */
export function serveWorker(entry) {
  const receive = serve((message, transfer) => self.postMessage(message, { transfer }), entry);
  self.addEventListener("message", ({ data }) => receive(data));
  // An error of the Worker itself ends it, because no answer would come.
  self.addEventListener("messageerror", () => {
    throw new Error("what was sent cannot be read");
  });
}

/**
 * Return the memory of a result, which is then transferred to the other side rather than copied.
 * @param {any} result a typed array, a list or an object of typed arrays, or anything else, which has no memory
 * @returns {Transferable[]}
 */
function buffersOf(result) {
  if (typeof result !== "object" || result === null) return [];
  const views = ArrayBuffer.isView(result) ? [result] : Object.values(result).filter(ArrayBuffer.isView);
  return views.map((view) => /** @type {ArrayBuffer} */ (view.buffer));
}
