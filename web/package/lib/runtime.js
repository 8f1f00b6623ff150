// The Tokenizer class of a runtime, which knows where the core is and how to read sources.

import { argumentError, bytesOf } from "./arguments.js";
import { coreModule, readyModule } from "./module.js";
import { BaseTokenizer } from "./tokenizer.js";

/** @typedef {import("./source.js").LoadOptions} LoadOptions */

/**
 * @param {() => unknown} core what coreModule takes
 * @param {typeof import("./source.js").readBytes} read
 */
export function runtime(core, read) {
  class Tokenizer extends BaseTokenizer {
    /**
     * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file; a path if the runtime has files
     * @param {LoadOptions} [options]
     * @returns {Promise<Tokenizer>}
     */
    static async load(source, options) {
      const [module, blob] = await Promise.all([coreModule(core, read), read(source, "the tokenizer", options)]);
      return new Tokenizer(module, blob);
    }

    /**
     * The same, synchronously.
     * @param {ArrayBuffer | ArrayBufferView} source the bytes of a .wwho file
     * @returns {Tokenizer}
     */
    static loadSync(source) {
      const bytes = bytesOf(source);
      if (bytes) return new Tokenizer(readyModule(core), bytes);
      throw argumentError("the tokenizer", source, "bytes; for other sources, await load()");
    }
  }

  return {
    Tokenizer,
    /**
     * Compile the core, once. load and getEncoding call this for you.
     * @param {unknown} [source] another wwho.wasm than the one that comes with this file
     */
    async init(source) {
      await coreModule(() => source ?? core(), read);
    },
  };
}
