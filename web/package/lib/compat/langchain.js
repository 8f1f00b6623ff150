// LangChain's uses of js-tiktoken, over our encodings: nothing is fetched from tiktoken.pages.dev.

import { Tiktoken, findRanks, getEncodingNameForModel, ranksOf } from "./js-tiktoken.js";

/** @typedef {() => Promise<{ load: () => import("../tokenizer.js").BaseTokenizer }>} Loader imports the module of an encoding */

/**
 * Return the functions of @langchain/core/utils/tiktoken.
 * @param {Readonly<Record<string, Loader>>} loaders by the names of encodings
 */
export function tiktokenFunctions(loaders) {
  /** @type {Map<string, Promise<Tiktoken>>} */
  const opened = new Map();

  /**
   * Return an encoding, which is loaded once.
   * @param {string} name
   * @returns {Promise<Tiktoken>}
   */
  const getEncoding = async (name) => {
    const load = findRanks(loaders, name);
    const found = opened.get(name) ?? load().then((module) => new Tiktoken(ranksOf(name, module.load)));
    opened.set(name, found);
    // After a failure, the next call tries again.
    found.catch(() => opened.delete(name));
    return found;
  };
  return { getEncoding, encodingForModel: async (/** @type {string} */ model) => getEncoding(getEncodingNameForModel(model)) };
}

/**
 * Cut ids into the texts of windows, as TokenTextSplitter does.
 * @param {Tiktoken} tokenizer
 * @param {readonly number[]} ids
 * @param {number} size the most ids of a window
 * @param {number} overlap how many it shares with the one before; fewer than `size`
 * @returns {string[]}
 */
export function windowsOf(tokenizer, ids, size, overlap) {
  const texts = [];
  for (let start = 0, end = 0; end < ids.length; start = end - overlap) {
    end = Math.min(start + size, ids.length);
    texts.push(tokenizer.decode(ids.slice(start, end)));
  }
  return texts;
}
