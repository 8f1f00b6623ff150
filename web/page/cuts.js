// Where a long text may be cut so that the tokens of the parts are the tokens of the whole.
//
// Two places are safe for the encodings of the page: between a letter, mark or digit and a single space with a letter behind it,
// and between a line feed and a letter. No pattern of theirs matches across, no router rule joins across (the space stays with
// the word that follows), and what is left of the cut is read the same whether the text ends there or goes on.

const SAFE = /[\p{L}\p{M}\p{N}](?= \p{L})|\n(?=\p{L})/gu;
const WINDOW = 4096;

/**
 * The last safe cut of a text, looked for from the end.
 * @param {string} text
 * @param {number} [from] do not look before it; in UTF-16 units, as the result
 * @returns {number} 0 where there is none
 */
export function lastCut(text, from = 0) {
  for (let size = WINDOW; ; size *= 8) {
    const start = Math.max(from, text.length - size);
    let cut = 0;
    for (const match of text.slice(start).matchAll(SAFE)) {
      cut = start + match.index + match[0].length;
    }
    if (cut > 0 || start === from) {
      return cut;
    }
  }
}

/**
 * Text from chunks of UTF-8, in parts that may be tokenized one by one.
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} chunks
 * @returns {AsyncGenerator<string>}
 * @throws {TypeError} the bytes are not UTF-8
 */
export async function* safeParts(chunks) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  for await (const chunk of chunks) {
    const seen = Math.max(0, rest.length - 2);
    rest += decoder.decode(chunk, { stream: true });
    const cut = lastCut(rest, seen);
    if (cut > 0) {
      yield rest.slice(0, cut);
      rest = rest.slice(cut);
    }
  }
  yield rest + decoder.decode();
}
