// Where a text in UTF-16 may be cut so that the tokens of the parts are the tokens of the whole; lib/cuts.js knows which
// characters must stand there, for every .wwho file.

import { Cuts as Characters } from "../../package/lib/cuts.js";

const NONE = -1;
const REPLACEMENT = 0xfffd; // what a lone surrogate is encoded as

/** The cuts of one tokenizer. Positions are UTF-16 units. */
export class Cuts {
  #characters;

  /** @param {Uint8Array} blob a .wwho file that the core has opened */
  constructor(blob) {
    this.#characters = new Characters(blob);
  }

  /**
   * @param {string} text
   * @param {number} at
   * @returns {boolean} false at the ends of the text and before its last character, as more of it may follow
   */
  isCut(text, at) {
    if (at < 1 || at >= text.length || isTrail(text, at)) return false;
    const b = codePoint(text, at);
    const c = codePoint(text, at + (isTrail(text, at + 1) ? 2 : 1));
    if (c === NONE) return false;
    return this.#characters.isSafe(codePoint(text, at - (isTrail(text, at - 1) ? 2 : 1)), b, c);
  }

  /** The first cut from a position on, or the end of the text. @param {string} text @param {number} from */
  nextCut(text, from) {
    for (let at = from; at < text.length; at++) {
      if (this.isCut(text, at)) return at;
    }
    return text.length;
  }
}

/**
 * Text from chunks of UTF-8, in parts that may be tokenized one by one.
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 * @param {Cuts[]} cuts of all the tokenizers
 * @returns {AsyncGenerator<string>}
 * @throws {Error} the bytes are not UTF-8
 */
export async function* safeParts(chunks, cuts) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  for await (const chunk of chunks) {
    const seen = Math.max(1, rest.length - 2);
    rest += decoded(decoder, chunk, { stream: true });
    const cut = commonCut(rest, seen, cuts);
    if (cut > 0) {
      yield rest.slice(0, cut);
      rest = rest.slice(cut);
    }
  }
  yield rest + decoded(decoder);
}

/** @param {TextDecoder} decoder @param {Parameters<TextDecoder["decode"]>} given */
function decoded(decoder, ...given) {
  try {
    return decoder.decode(...given);
  } catch (cause) {
    throw new Error("not UTF-8 text", { cause });
  }
}

/** The last cut of all the tokenizers, 0 for none. @param {string} text @param {number} from @param {Cuts[]} cuts */
function commonCut(text, from, cuts) {
  for (let at = text.length - 1; at >= from; at--) {
    if (cuts.every((each) => each.isCut(text, at))) return at;
  }
  return 0;
}

/** Whether the second half of a surrogate pair stands there. @param {string} text @param {number} at */
const isTrail = (text, at) => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** @param {string} text @param {number} at */
function codePoint(text, at) {
  const code = text.codePointAt(at) ?? NONE;
  return code >= 0xd800 && code < 0xe000 ? REPLACEMENT : code;
}
