// Special tokens: which of them a call allows, and which are errors.

import { argumentError, isIterable } from "./arguments.js";
import { WwhoError } from "./errors.js";
import { utf8 } from "./decoding.js";

/** @typedef {Iterable<string> | "all"} Names */
/** @typedef {ReadonlySet<string> | "all"} NameSet */

/** @type {NameSet} */
const NO_NAMES = new Set();

/**
 * The names in an option, as a set: an iterable may give them only once.
 * @param {Names | undefined} names
 * @param {string} option
 * @param {ReadonlyMap<string, number>} [known] the special tokens of the model; undefined: the names are checked elsewhere
 * @returns {NameSet}
 * @throws {WwhoError} ARGUMENT
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
  if (known && unknown !== undefined) throw argumentError(`a name in ${option}`, unknown, listed([...known.keys()]));
  return set;
}

/**
 * The same options with sets, which can be read more than once.
 * @param {import("./tokenizer.js").EncodeOptions} options
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

/** @param {readonly string[]} known */
function listed(known) {
  const more = known.length - MOST_LISTED;
  const shown = known.slice(0, MOST_LISTED).join(", ");
  return known.length === 0 ? "none: the tokenizer has no special tokens" : `one of ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** @param {NameSet} names */
const isEmpty = (names) => names !== "all" && names.size === 0;

/**
 * One byte for each added token, 1 if it is allowed; null if none is.
 * @param {ReadonlyMap<string, number>} added the number of each, in the order of ids: some models have thousands
 * @param {NameSet} allowed
 * @returns {Uint8Array | null}
 */
export function allowedMask(added, allowed) {
  if (isEmpty(allowed)) return null;
  const mask = new Uint8Array(added.size);
  if (allowed === "all") return mask.fill(1);
  for (const name of allowed) {
    const number = added.get(name);
    if (number !== undefined) mask[number] = 1;
  }
  return mask;
}

/**
 * @param {string | Uint8Array} text
 * @param {ReadonlyMap<string, number>} specials
 * @param {NameSet} allowed
 * @param {NameSet} disallowed
 * @throws {WwhoError} SPECIAL_TOKEN
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
