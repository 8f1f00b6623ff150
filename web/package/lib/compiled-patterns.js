// Finds what JavaScript cannot compile of a tokenizer.json: its pretokenizer and its normal form, in files of this package.

import { FILES, FORMS, KIND, PRE_TOKENIZERS, RECORD } from "./shipped-patterns.js";

/** @typedef {import("./import-tokenizer-json.js").Need} Need */
/** @typedef {import("./import-tokenizer-json.js").Compiled} Compiled */

/**
 * Return a function that finds what is compiled of a pretokenizer and a normal form: a text if that is not in this package or cannot be
 * read, which says why.
 * @param {(url: URL, what: string) => Promise<Uint8Array>} read reads a file of this package; `what` is its name in messages
 * @returns {(need: Need) => Promise<Compiled | string>} which throws what `read` throws, but for errors of the status FETCH
 */
export function compiledReader(read) {
  return async ({ pretokenizer, form, isMarked }) => {
    if (!Object.hasOwn(PRE_TOKENIZERS, pretokenizer)) return "its pretokenizer is none that this package has compiled";
    if (form && !Object.hasOwn(FORMS, form)) return `its normalizer is ${form}`;
    const [name, ofCuts, ofSecond] = PRE_TOKENIZERS[pretokenizer];
    const [formName, ofForm] = form ? FORMS[form] : ["", []];
    const names = [isMarked ? `${name}-marked` : name, ...(form ? [formName] : [])];
    try {
      const files = await Promise.all(names.map((each) => read(FILES[each](), `the compiled pattern ${each}`)));
      // Copies, because a Worker in Node must not get a Buffer, which shares its memory with others.
      const [pattern, ofNormalizer] = files.map((bytes) => Uint8Array.from(bytes));
      return { pattern, form: ofNormalizer, losses: [ofCuts, ofForm, ofSecond], kind: KIND, record: RECORD };
    } catch (/** @type {any} */ error) {
      if (error.status !== "FETCH") throw error;
      return error.message; // not every bundler copies these files
    }
  };
}
