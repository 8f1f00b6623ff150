// Further special tokens for a tokenizer: its file with another section ADDED (wasm/FORMAT.md, ADDED).

import { argumentError, isIterable, requireBoolean, requireOptions } from "./arguments.js";
import { assemble, sectionsOf } from "./artifact-bytes.js";
import { readDecoder } from "./decoder-section.js";
import { utf8 } from "./decoding.js";
import { hex } from "./errors.js";
import { ADDED_SPECIAL, OF_MODEL, OF_TOKENIZER, SECTION_ADDED, SECTION_DECODER } from "./header.js";
import { placesOf } from "./template.js";

/** @typedef {ReadonlyMap<string, number> | Readonly<Record<string, number>>} SpecialTokens ids by the texts of special tokens */
/** @typedef {{ text: string, id: number, flags: number }} Added an added token of a file */

/** What FORMAT.md allows: the bytes of a text, and the highest id. */
const [MOST_BYTES, HIGHEST_ID] = [1024, 2_097_150];
/** The rule by which a model numbers its tokens stepwise, over the ids of added tokens (FORMAT.md, Ids). */
const STEP = 1;

/** The options of withSpecialTokens. */
const OPTIONS = new Set(["sharesIds"]);

/**
 * Return the file of a tokenizer with further special tokens; one that the tokenizer has already gets the new id.
 * @param {import("./core.js").Core} core with the tokenizer open
 * @param {SpecialTokens} tokens
 * @param {string} name of the tokenizer, for messages
 * @param {{ sharesIds?: boolean }} [options] `sharesIds`: whether an id may be that of another special token; it decodes to the new one then
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {import("./errors.js").WwhoError} ARGUMENT for a text or an id that cannot be used, and for wrong options
 */
export function extendFile(core, tokens, name, options = {}) {
  requireOptions(options, OPTIONS);
  const { sharesIds = false } = options;
  requireBoolean(sharesIds, "sharesIds");
  const sections = sectionsOf(core.file());
  const place = sections.findIndex(([kind]) => kind === SECTION_ADDED);
  const { added, properties } = readAdded(sections[place][1]);
  const owners = new Map(added.map((token) => [token.text, token]));
  const taken = new Set(added.map(({ id }) => id));
  const uses = usesOf(core, sections);
  /** @type {Added[]} */
  const more = [];
  const refuseId = (/** @type {Added} */ { text, id }, /** @type {string} */ found) => {
    throw argumentError(`the id of ${JSON.stringify(text)}`, id, `one that no token of ${name} has: it is that of ${found}`);
  };
  for (const [text, id] of entriesOf(tokens)) {
    requireToken(text, id);
    const owner = owners.get(text);
    if (owner && owner.id === id && owner.flags & ADDED_SPECIAL) continue;
    if (owner) requireMovable(owner, core, name, uses);
    owners.delete(text);
    const token = { text, id, flags: ADDED_SPECIAL };
    const bytes = taken.has(id) ? null : core.tokenBytes(id);
    if (bytes) refuseId(token, quoteToken(bytes));
    more.push(token);
  }
  // Of several texts, an id decodes to the first.
  const all = [...more, ...owners.values()].sort((a, b) => a.id - b.id);
  const texts = new Map(all.map(({ id, text }) => [id, text]));
  for (const token of more) {
    const other = /** @type {string} */ (texts.get(token.id));
    if (!sharesIds && other !== token.text) refuseId(token, JSON.stringify(other));
  }
  sections[place] = [SECTION_ADDED, writeAdded(all, properties)];
  return assemble(sections);
}

/**
 * Return for what a tokenizer needs tokens under the ids that they have.
 * @param {import("./core.js").Core} core
 * @param {readonly (readonly [kind: number, data: Uint8Array])[]} sections of its file
 * @returns {Map<number, string>} what each such token is, such as "part of the template", by its id
 */
function usesOf(core, sections) {
  const decoder = sections.find(([kind]) => kind === SECTION_DECODER);
  const places = [false, true].flatMap((pair) => placesOf(core, pair, true)).filter(({ what }) => what === "id");
  return new Map([
    ...modelsOf(core).map(({ unk_id: id }) => use(id ?? -1, "the unknown token")),
    ...places.map(({ id }) => use(id, "part of the template")),
    ...[...readDecoder(decoder?.[1]).surfaces.keys()].map((id) => use(id, "one to which the decoder gives a text")),
  ]);
}

/** Return what a tokenizer says of each of its models, in order. @param {import("./core.js").Core} core */
const modelsOf = (core) => Array.from({ length: core.info(OF_TOKENIZER).n_models ?? 0 }, (_, i) => core.info(OF_MODEL, i));

/** Return a pair for a Map. @param {number} id @param {string} what @returns {[number, string]} */
const use = (id, what) => [id, what];

/**
 * Return the pairs of a text and an id that a caller gives.
 * @param {any} tokens
 * @returns {Iterable<[text: any, id: any]>} of which nothing is checked
 * @throws {import("./errors.js").WwhoError} ARGUMENT if it is neither a Map nor an object
 */
function entriesOf(tokens) {
  if (Object.prototype.toString.call(tokens) === "[object Map]") return tokens;
  if (typeof tokens === "object" && tokens !== null && !isIterable(tokens)) return Object.entries(tokens);
  throw argumentError("tokens", tokens, 'an object or a Map of ids by texts, such as { "<|user|>": 200100 }');
}

/**
 * Reject a text or an id that no special token can have.
 * @param {any} text
 * @param {any} id
 * @throws {import("./errors.js").WwhoError} ARGUMENT
 */
function requireToken(text, id) {
  const size = typeof text === "string" && !/\p{Surrogate}/u.test(text) ? new TextEncoder().encode(text).length : 0;
  if (size < 1 || size > MOST_BYTES) {
    throw argumentError("a special token", typeof text === "string" ? text.slice(0, 40) : text, `1 to ${MOST_BYTES} bytes of UTF-8, without lone surrogates`);
  }
  if (!Number.isInteger(id) || id < 0 || id > HIGHEST_ID) {
    throw argumentError(`the id of ${JSON.stringify(text)}`, id, `an integer from 0 to ${HIGHEST_ID}`);
  }
}

/**
 * Reject another id for an added token that is more than a special token, that the tokenizer needs under its id, or whose id the tokens of a
 * model are numbered around.
 * @param {Added} owner
 * @param {import("./core.js").Core} core
 * @param {string} name of the tokenizer
 * @param {ReadonlyMap<number, string>} uses as usesOf returns them
 * @throws {import("./errors.js").WwhoError} ARGUMENT
 */
function requireMovable({ text, id, flags }, core, name, uses) {
  const isBetween = modelsOf(core).some(({ ids, first_id: first, n_ids: n }) => ids === STEP && id >= (first ?? 0) && id < (first ?? 0) + (n ?? 0));
  const use = uses.get(id);
  if (flags === ADDED_SPECIAL && !isBetween && !use) return;
  const why = isBetween ? "whose id lies among those of other tokens" : `which is ${use ?? "no plain special token"}`;
  throw argumentError("a special token", text, `another text: ${name} has this one, ${why}, and cannot give it another id than ${id}`);
}

/** Return a token's text in quotes, or its bytes if they are no UTF-8. @param {Uint8Array} bytes */
function quoteToken(bytes) {
  const text = utf8(bytes);
  return text.includes("\ufffd") ? `the bytes ${hex(bytes)}` : JSON.stringify(text);
}

/**
 * Read the section ADDED.
 * @param {Uint8Array} section of a valid file
 * @returns {{ added: Added[], properties: Uint8Array }} the tokens by ascending id; the properties of classes, which follow them
 */
function readAdded(section) {
  const count = new DataView(section.buffer, section.byteOffset).getUint32(0, true);
  let at = 4 + count;
  const texts = Array.from({ length: count }, () => {
    const end = section.indexOf(0xff, at);
    const text = utf8(section.subarray(at, end));
    at = end + 1;
    return text;
  });
  let id = 0;
  const added = texts.map((text, i) => {
    for (let shift = 0, more = true; more; shift += 7, at++) {
      id += (section[at] & 127) << shift;
      more = section[at] > 127;
    }
    return { text, id, flags: section[4 + i] };
  });
  return { added, properties: section.subarray(at) };
}

/**
 * Return the section ADDED.
 * @param {readonly Added[]} added by ascending id
 * @param {Uint8Array} properties of classes, or none
 * @returns {Uint8Array}
 */
function writeAdded(added, properties) {
  const count = added.length;
  const texts = added.flatMap(({ text }) => [...new TextEncoder().encode(text), 0xff]);
  const ids = added.flatMap(({ id }, i) => leb(id - (i > 0 ? added[i - 1].id : 0)));
  return Uint8Array.from([count, count >> 8, count >> 16, count >> 24, ...added.map(({ flags }) => flags), ...texts, ...ids, ...properties]);
}

/** Return a number as LEB128. @param {number} number @returns {number[]} */
const leb = (number) => (number > 127 ? [(number & 127) | 128, ...leb(number >> 7)] : [number]);
