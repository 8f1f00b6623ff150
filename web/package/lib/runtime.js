// The Tokenizer class of a runtime, which knows where the core is and how to read sources.

import { argumentError, bytesOf } from "./arguments.js";
import { readArtifact } from "./artifact-source.js";
import { coreModule, readyModule } from "./module.js";
import { BaseTokenizer } from "./tokenizer.js";

/** @typedef {import("./source.js").LoadOptions} LoadOptions */

/**
 * Make the class Tokenizer and the function init of a runtime.
 * @param {() => unknown} core returns the source of wwho.wasm: a compiled module, or what `read` takes
 * @param {typeof import("./source.js").readBytes} read reads the bytes of any source that the runtime has
 * @returns `Tokenizer`, a BaseTokenizer with the static methods `load` and `loadSync`; `init`
 */
export function runtime(core, read) {
  class Tokenizer extends BaseTokenizer {
    /**
     * Load a tokenizer, and compile the core if it is not compiled yet; both are read at the same time.
     * @param {unknown} source a URL, Response, Blob or bytes of a .wwho file, also compressed with gzip; a path if the runtime has files
     * @param {LoadOptions} [options] for the tokenizer's file
     * @returns {Promise<Tokenizer>}
     * @throws {import("./errors.js").WwhoError} with the status of the rule that the file breaks; FETCH, ARGUMENT or one of coreModule's
     */
    static async load(source, options) {
      const [module, blob] = await Promise.all([coreModule(core, read), readArtifact(read, source, options)]);
      return new Tokenizer(module, blob);
    }

    /**
     * Load a tokenizer from bytes, synchronously.
     * @param {ArrayBuffer | ArrayBufferView} source the bytes of a .wwho file
     * @returns {Tokenizer}
     * @throws {import("./errors.js").WwhoError} as load; also ARGUMENT if the core must be fetched and was not compiled before
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
     * Compile the core, once; load and getEncoding do this, too. The first call decides, and later ones wait for it.
     * @param {unknown} [source] another wwho.wasm than the one that comes with the package
     * @returns {Promise<void>}
     * @throws {import("./errors.js").WwhoError} NO_WEBASSEMBLY, NO_TEXTDECODER, NO_TEXTENCODER, FETCH, WASM or ARGUMENT; the next call tries again
     */
    async init(source) {
      await coreModule(() => source ?? core(), read);
    },
  };
}
