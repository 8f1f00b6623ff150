// Special tokens: which of them a call allows, and which are errors.

import { argumentError, isIterable } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { utf8 } from "./decoding.js";

/** @typedef {Iterable<string> | "all"} Names */
/** @typedef {ReadonlySet<string> | "all"} NameSet */

/** @type {NameSet} */
const NO_NAMES = new Set();

/**
 * Return the special tokens that an option names, as a set, because an iterable may give them only once.
 * @param {Names | undefined} names what the caller passed; undefined counts as none
 * @param {string} option its name in messages
 * @param {ReadonlyMap<string, number>} [known] the special tokens of the model; undefined: the names are checked elsewhere
 * @returns {NameSet} "all" stays; the empty text is left out
 * @throws {WwhoError} ARGUMENT for another kind of value, or for a name that the model does not have
 */
export function nameSet(names, option, known) {
  if (names === undefined) {
    return NO_NAMES;
  }
  if (names === "all") {
    return "all";
  }
  if (!isIterable(names)) throw argumentError(option, names, 'a Set of special tokens or "all"');
  const set = new Set(names);
  for (const name of set) {
    if (typeof name !== "string") throw argumentError(`a name in ${option}`, name, "the text of a special token");
  }
  set.delete(""); // the empty text is everywhere
  const unknown = known && [...set].find((name) => !known.has(name));
  if (known && unknown !== undefined) throw argumentError(`a name in ${option}`, unknown, listNames([...known.keys()]));
  return set;
}

/**
 * Return a copy of options in which the names of special tokens are sets, or "all": they can be read more than once. Whether the model has
 * the tokens is not checked; the empty text is left out.
 * @param {import("./tokenizer.js").EncodeOptions} options
 * @returns the options, with both sets, even if none was given
 * @throws {WwhoError} ARGUMENT if they are neither iterables of texts nor "all"
 */
export function reusable(options) {
  const { allowedSpecial, disallowedSpecial } = options;
  return {
    ...options,
    allowedSpecial: nameSet(allowedSpecial, "allowedSpecial"),
    disallowedSpecial: nameSet(disallowedSpecial, "disallowedSpecial"),
  };
}

const MOST_LISTED = 8;

/**
 * Return the special tokens that a caller may name, for an error message: the first eight, and how many more there are.
 * @param {readonly string[]} known
 * @returns {string}
 */
function listNames(known) {
  const more = known.length - MOST_LISTED;
  const shown = known.slice(0, MOST_LISTED).join(", ");
  return known.length === 0 ? "none: the tokenizer has no special tokens" : `one of ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * Tell whether an option names no special token at all.
 * @param {NameSet} names
 * @returns {boolean}
 */
const isEmpty = (names) => names !== "all" && names.size === 0;

/**
 * Return the mask of allowed added tokens that the core takes: one byte for each added token, 1 if the text may contain it.
 * @param {ReadonlyMap<string, number>} added the index of each added token by its text; some models have thousands
 * @param {NameSet} allowed texts of added tokens; texts that are none are ignored
 * @returns {Uint8Array | null} null if `allowed` is empty
 */
export function allowedMask(added, allowed) {
  if (isEmpty(allowed)) return null;
  const mask = new Uint8Array(added.size);
  if (allowed === "all") return mask.fill(1);
  for (const name of allowed) {
    const index = added.get(name);
    if (index !== undefined) mask[index] = 1;
  }
  return mask;
}

/**
 * Reject a text that contains a disallowed special token.
 * @param {string | Uint8Array} text
 * @param {ReadonlyMap<string, number>} specials the special tokens of the model by their texts
 * @param {NameSet} allowed counts only if `disallowed` is "all"
 * @param {NameSet} disallowed "all" is every special token that is not allowed; the texts of a set are searched for as they are
 * @throws {WwhoError} SPECIAL_TOKEN, with the first of these tokens that the text contains
 */
export function refuseDisallowed(text, specials, allowed, disallowed) {
  if (isEmpty(disallowed)) {
    return;
  }
  const names =
    disallowed === "all" ? [...specials.keys()].filter((token) => allowed !== "all" && !allowed.has(token)) : [...disallowed];
  const haystack = typeof text === "string" ? text : utf8(text);
  const found = names.find((token) => haystack.includes(token));
  if (found !== undefined) {
    const quoted = JSON.stringify(found);
    throw new WwhoError(
      "SPECIAL_TOKEN",
      `the text contains the special token ${quoted}, which disallowedSpecial rejects; leave it out there to encode it as ` +
        `ordinary text, or, with allowedSpecial: new Set([${quoted}]), as that token`,
    );
  }
}
