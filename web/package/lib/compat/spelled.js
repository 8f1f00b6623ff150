// Special tokens that a text spells, for libraries in which that is an error unless the call says otherwise.

import { WwhoError } from "../errors.js";

/**
 * Reject a text that spells one of these special tokens.
 * @param {string} text
 * @param {Iterable<string>} tokens
 * @param {(token: string) => string} describe makes the message of the library that is stood in for
 * @throws {WwhoError} SPECIAL_TOKEN for the first in the text
 */
export function refuseSpelled(text, tokens, describe) {
  /** @type {{ token: string, at: number } | undefined} */
  let first;
  for (const token of tokens) {
    const at = text.indexOf(token);
    if (at >= 0 && (first === undefined || at < first.at)) first = { token, at };
  }
  if (first) throw new WwhoError("SPECIAL_TOKEN", describe(first.token));
}
