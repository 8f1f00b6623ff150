// The tokenizer as its users see it. The entries (index.js, node.js, ...) load it; core.js handles memory.

import {
  MAX_ID,
  argumentError,
  bindMethods,
  checkedIds,
  isModule,
  isUint8Array,
  requireBoolean,
  requireIterable,
  requireMemory,
  requireOptions,
  requireString,
  requireTarget,
  requireText,
  textList,
  tokenLimit,
} from "./arguments.js";
import { KINDS, OVERSIZE, chunks, longestStart } from "./boundaries.js";
import { Core, decodedTooLongError } from "./core.js";
import { Decoding, graphemesOf, newDecoder, utf8 } from "./decoding.js";
import { WwhoError, hex } from "./errors.js";
import { extendFile } from "./extending.js";
import { ADDED_LSTRIP, ADDED_RSTRIP, ADDED_SPECIAL, NO_ADDED, OF_TOKENIZER, SKIP_SPECIAL, UNK_TOKEN } from "./header.js";
import { CUT, KEEP, WAITS, describe, listSteps, readProvenance } from "./info.js";
import { itemsOf } from "./items.js";
import { withPeerBytes } from "./peer-bytes.js";
import { PART_BYTES, Parts, groupsOf, joinArrays, listOf, partsOf } from "./parts.js";
import { SAMPLING_OPTIONS, forText, readSampling } from "./sampling.js";
import { segmentsOf, slicer } from "./segments.js";
import { allowedMask, nameSet, refuseDisallowed, reusable } from "./special.js";
import { fillTemplate, placesOf, trimOffsets, trimText } from "./template.js";
import { isSymbols, traceScript, tracerOf } from "./trace.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./special.js").Names} Names */
/** @typedef {{ allowedSpecial?: Names, disallowedSpecial?: Names, unk?: "spell" | "token" }} EncodeOptions */
/** @typedef {EncodeOptions & { addSpecialTokens?: boolean }} TemplateOptions */
/** @typedef {TemplateOptions & { pair?: Text, added?: boolean }} PairOptions */
/** @typedef {import("./sampling.js").SamplingOptions} SamplingOptions */
/** @typedef {PairOptions & SamplingOptions & { array?: boolean }} IdsOptions */
/** @typedef {TemplateOptions & { pairs?: Iterable<Text>, added?: boolean }} PairsOptions */
/** @typedef {PairsOptions & SamplingOptions & { array?: boolean }} BatchOptions */
/** @typedef {PairOptions & SamplingOptions & { units?: boolean }} OffsetOptions */
/** @typedef {{ skipSpecialTokens?: boolean, likeTokenizers?: boolean }} DecodeOptions */
/** @typedef {DecodeOptions & { graphemes?: boolean }} DecodeStreamOptions */
/** @typedef {TemplateOptions & { overlap?: number, prefer?: import("./boundaries.js").Kind, oversize?: import("./boundaries.js").Oversize }} ChunkOptions */
/** @typedef {{ mask: Uint8Array | null, flags: number, array: boolean, pair?: Text, special?: boolean, units?: boolean, sampling?: import("./sampling.js").Sampling }} Given checked options: the mask of allowed added tokens and the core's flags; whether ids come in a plain array; a second text; whether the template's ids are added; whether units are wanted; what is drawn */
/** @typedef {{ signal?: AbortSignal, fatal?: boolean, onProgress?: (progress: { bytes: number, tokens: number }) => void }} StreamOptions */

/** For calls without options. @type {Given} */
const DEFAULTS = Object.freeze({ mask: null, flags: 0, array: false });
const ENCODE_OPTIONS = new Set(["allowedSpecial", "disallowedSpecial", "unk"]);
const PART_OPTIONS = new Set([...ENCODE_OPTIONS, "array"]);
const TEMPLATE_OPTIONS = new Set([...ENCODE_OPTIONS, "addSpecialTokens"]);
const PAIR_OPTIONS = new Set([...ENCODE_OPTIONS, "pair", "added", "addSpecialTokens"]);
const NONE = new Uint32Array();
const OFFSET_OPTIONS = new Set([...PAIR_OPTIONS, ...SAMPLING_OPTIONS, "units"]);
const IDS_OPTIONS = new Set([...PAIR_OPTIONS, ...SAMPLING_OPTIONS, "array"]);
const PAIRS_OPTIONS = new Set([...TEMPLATE_OPTIONS, "pairs", "added"]);
const BATCH_OPTIONS = new Set([...PAIRS_OPTIONS, ...SAMPLING_OPTIONS, "array"]);
const STREAM_OPTIONS = new Set([...ENCODE_OPTIONS, "signal", "onProgress", "fatal"]);
const CHUNK_OPTIONS = new Set([...TEMPLATE_OPTIONS, "overlap", "prefer", "oversize"]);
const DECODE_OPTIONS = new Set(["skipSpecialTokens", "likeTokenizers"]);
const DECODE_STREAM_OPTIONS = new Set([...DECODE_OPTIONS, "graphemes"]);
const FEED_OPTIONS = new Set([...DECODE_STREAM_OPTIONS, "signal"]);
/** A flag beside those of the core: added tokens decode as `tokenizers` decodes them. */
const LIKE_TOKENIZERS = 256;
/** The longest text that ids may have, in bytes. */
const MAX_BYTES = 2 ** 32 - 1;

/** The size of parts if only the beginning of a text is needed: bytes per token, more than most have; and the minimum. */
const BYTES_PER_TOKEN = 16;
const LEAST_BYTES = 1 << 12;
/** The number of ids that are decoded at a time. */
const PART_IDS = 1 << 16;

/**
 * Return tables of a tokenizer's added tokens, which the core is asked for one by one.
 * @param {Core} core with the tokenizer open
 * @param {readonly { kind: string, unkId: number | null }[]} models the tokenizer's models, by `info`
 * @returns {{ special: Map<string, number>, indices: Map<string, number>, trimmed: Map<number, string | null>, takesSpace: boolean }} the ids
 *   of special tokens by their texts; the indices of all added tokens by their texts; by id, the text without white space at its ends, by
 *   which `trimOffsets` narrows offsets (null for the unknown token of a Unigram: left as it is); whether any added token takes white
 *   space beside it into itself
 */
function listAdded(core, models) {
  const all = Array.from({ length: core.info(OF_TOKENIZER).n_added ?? 0 }, (_, i) => {
    const { id, flags, bytes } = core.addedToken(i);
    return { id, flags, text: utf8(bytes) };
  });
  const special = all.filter(({ flags }) => flags & ADDED_SPECIAL);
  const unknown = models.filter(({ kind }) => kind === "viterbi");
  /** @type {[number, string | null][]} */
  const texts = [...all.map(({ id, text }) => entry(id, trimText(text))), ...unknown.map(({ unkId }) => entry(unkId ?? -1, null))];
  return {
    special: new Map(special.map(({ id, text }) => entry(text, id))),
    indices: new Map(all.map(({ text }, i) => entry(text, i))),
    trimmed: new Map(texts),
    takesSpace: all.some(({ flags }) => flags & (ADDED_LSTRIP | ADDED_RSTRIP)),
  };
}

/**
 * Return a pair for a Map, with the type of one.
 * @template K, V
 * @param {K} key
 * @param {V} value
 * @returns {[K, V]}
 */
const entry = (key, value) => [key, value];

/** A tokenizer for one artifact. It is immutable; options are passed to each call. */
export class BaseTokenizer {
  /** The core with the tokenizer; undefined after free(). @type {Core | undefined} */
  #core;
  /** The compiled core, for further tokenizers. */
  #module;
  /** The core whose added tokens decode as `tokenizers` decodes them, once it is needed. @type {Core | undefined} */
  #peer;
  /** The routes by their indices. @type {readonly { name: string, hasUnits: boolean }[]} */
  #routes;
  /** The added tokens, once they are needed: listing thousands takes milliseconds. @type {ReturnType<typeof listAdded> | undefined} */
  #added;
  /** Text of each special token and its id; the constructor makes it a getter. @type {ReadonlyMap<string, number>} @readonly */
  specialTokens = new Map();
  /** How the offsets of a single text are trimmed, as trimOffsets takes it: FORMAT.md, TEMPLATE. 0: not at all. */
  #trim;
  /** Whether no token can stand for more text than the longest token has, added tokens aside. */
  #isBounded;
  /** Created when a text is first traced. @type {ReturnType<typeof tracerOf> | undefined} */
  #tracer;
  /** Whether a normalizer rewrites texts. */
  #normalizes;
  /** Whether the decoder needs all ids at once. */
  #waits;

  /**
   * @param {WebAssembly.Module} module the compiled core
   * @param {Uint8Array} blob a whole .wwho file
   * @throws {WwhoError} with the status of the rule that the file breaks
   */
  constructor(module, blob) {
    if (!isModule(module)) {
      throw argumentError("the core", module, "a compiled WebAssembly.Module; or await Tokenizer.load()");
    }
    if (!isUint8Array(blob)) throw argumentError("the tokenizer", blob, "the bytes of a .wwho file");
    requireMemory(blob);
    const core = new Core(module, blob);
    this.#core = core;
    this.#module = module;
    /** Where the model came from: texts by key. @readonly */
    this.provenance = Object.freeze(readProvenance(core.provenance()));
    /** The encoding's name. @readonly */
    this.name = this.provenance.name ?? "unnamed";
    /** @readonly */
    this.info = describe(core);
    Object.defineProperty(this, "specialTokens", { get: () => this.#addedTokens.special, enumerable: true });
    this.#routes = this.info.routes;
    const { n_normalizer: nNormalizer, decoder } = core.info(OF_TOKENIZER);
    const steps = listSteps(core);
    this.#normalizes = nNormalizer !== 0;
    this.#waits = decoder === WAITS;
    this.#trim = placesOf(core, false, false)[0]?.id ?? 0;
    const spells = this.info.models.every(({ kind, symbols, unknown }) => kind === "bpe" && (symbols === "bytes" ? unknown !== "id" : unknown === "spell"));
    const keeps = steps.every(({ kind, actions }) => kind === CUT && actions.every((action) => action === KEEP));
    this.#isBounded = spells && keeps;
    bindMethods(this, BaseTokenizer.prototype);
  }

  /** Whether free was called. */
  get freed() {
    return this.#core === undefined;
  }

  /** The added tokens, which are read from the core at the first call. */
  get #addedTokens() {
    return (this.#added ??= listAdded(this.#openCore, this.info.models));
  }

  /** The core. @throws {WwhoError} FREED after free() */
  get #openCore() {
    if (this.#core === undefined) {
      throw new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`);
    }
    return this.#core;
  }

  /**
   * Return the core to decode with: the tokenizer's own, or with LIKE_TOKENIZERS the one whose added tokens decode as in `tokenizers`.
   * @param {number} flags
   * @returns {Core}
   * @throws {WwhoError} FREED; ARGUMENT if the tokenizer does not record how `tokenizers` decodes
   */
  #decodingCore(flags) {
    const core = this.#openCore;
    if (!(flags & LIKE_TOKENIZERS)) return core;
    if (this.#peer === undefined) {
      const file = withPeerBytes(core, this.provenance, this.name);
      this.#peer = file ? new Core(this.#module, file) : core;
    }
    return this.#peer;
  }

  /**
   * Check the text and the options of a call that encodes, and return what they mean to the core.
   * @param {Text} text
   * @param {(IdsOptions & OffsetOptions) | undefined} options
   * @param {ReadonlySet<string>} [known] the names of the method's options
   * @returns {Given}
   * @throws {WwhoError} FREED, ARGUMENT, or SPECIAL_TOKEN if a text contains a disallowed one
   */
  #prepareCall(text, options, known = ENCODE_OPTIONS) {
    void this.#openCore;
    requireText(text);
    // Most calls have no options, and should not pay for them.
    if (options === undefined) return DEFAULTS;
    requireOptions(options, known);
    const { pair } = options;
    if (pair !== undefined) requireText(pair);
    const given = this.#readOptions(pair === undefined ? [text] : [text, pair], options);
    given.pair = pair;
    return given;
  }

  /**
   * Check options, check the texts for disallowed special tokens, and return what the options mean to the core. Names in allowedSpecial and
   * disallowedSpecial must be special tokens of the model.
   * @param {readonly Text[]} texts
   * @param {Omit<IdsOptions & OffsetOptions, "pair">} options whose names are known
   * @returns {Given} without a second text
   * @throws {WwhoError} ARGUMENT, SPECIAL_TOKEN
   */
  #readOptions(texts, options) {
    const { allowedSpecial, disallowedSpecial, unk = "spell", array = false, addSpecialTokens = false, added = true, units = false } = options;
    if (unk !== "spell" && unk !== "token") {
      throw argumentError("unk", unk, '"spell" or "token"');
    }
    if (unk === "token" && this.info.unkId === null) {
      throw new WwhoError("ARGUMENT", `unk is "token", but ${this.name} has no such token; leave it out`);
    }
    requireBoolean(array, "array");
    requireBoolean(addSpecialTokens, "addSpecialTokens");
    requireBoolean(added, "added");
    requireBoolean(units, "units");
    const disallowed = nameSet(disallowedSpecial, "disallowedSpecial", this.specialTokens);
    const allowed = nameSet(allowedSpecial, "allowedSpecial", this.specialTokens);
    for (const each of texts) refuseDisallowed(each, this.specialTokens, allowed, disallowed);
    const flags = (unk === "token" ? UNK_TOKEN : 0) | (added ? 0 : NO_ADDED);
    return { mask: allowedMask(this.#addedTokens.indices, allowed), flags, array, special: addSpecialTokens, units, sampling: readSampling(options, this.name, this.info) };
  }

  /**
   * Cut a text into parts that, encoded one by one, give the tokens of the whole, because the core's memory grows with the text of a call,
   * and never shrinks.
   * @template {Text} T
   * @param {T} text
   * @param {Given} given the checked options of the call
   * @param {number} [size] about how long a part is, in bytes or UTF-16 units
   * @returns {Iterable<T>} no part is empty; nothing for an empty text; the whole text if added tokens are not searched for
   */
  #partsOf(text, { mask, flags, sampling }, size = PART_BYTES) {
    // If added tokens are not searched for, the core calls no place safe. What is drawn depends on how many pretokens there were.
    if (text.length <= size || flags & NO_ADDED || sampling) return text.length > 0 ? [text] : [];
    return partsOf(text, this.#openCore, mask, size);
  }

  /**
   * Rewrite a text with the first steps of the model's normalizer, as every method that encodes does; added tokens are not looked for.
   * @template {Text} T
   * @param {T} text
   * @returns {T} a string of a string, bytes of bytes; the text itself for most models, which have no normalizer
   * @throws {WwhoError} ARGUMENT, FREED
   */
  normalize(text) {
    requireText(text);
    if (!this.#normalizes) return text;
    const { bytes } = this.#openCore.normalize(text);
    return /** @type {T} */ (typeof text === "string" ? utf8(bytes) : bytes);
  }

  /**
   * Return the ids of a text.
   * @param {Text} text
   * @param {IdsOptions} [options]
   * @returns {Uint32Array | number[]} a plain array with `array: true`
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  encode(text, options) {
    const given = this.#prepareCall(text, options, IDS_OPTIONS);
    const ids = isSingleText(given) ? this.#encodeAll(text, given) : this.#fillTemplate(text, given, this.#tokensWithoutOffsets).ids;
    return given.array ? listOf(ids) : ids;
  }

  /**
   * Return the ids of one text, encoded in parts if it is long.
   * @param {Text} text
   * @param {Given} given the checked options
   * @returns {Uint32Array}
   */
  #encodeAll(text, given) {
    return text.length <= PART_BYTES ? this.#encodePart(text, given) : joinArrays(this.#encodeParts(text, given));
  }

  /**
   * Return the ids of one text in the form that fillTemplate takes.
   * @param {Text} text
   * @param {Given} given the checked options
   * @returns {import("./template.js").Tokens}
   */
  #tokensWithoutOffsets = (text, given) => ({ ids: this.#encodeAll(text, given) });

  /**
   * Return the tokens of one text or two in the places of the model's template.
   * @param {Text} text
   * @param {Given} given the checked options, with the second text, and whether the template's ids are added
   * @param {(text: Text, given: Given, trim: number) => import("./template.js").Tokens} tokensOf encodes one text; its `trim` is that of
   *   the text's place
   * @returns columns as fillTemplate makes them: ids, starts, ends, types
   */
  #fillTemplate(text, given, tokensOf) {
    const places = this.#templatePlaces(given);
    const tokens = (/** @type {string} */ name, /** @type {Text} */ each) =>
      tokensOf(each, forText(given, name === "second" ? 1 : 0), places.find(({ what }) => what === name)?.id ?? 0);
    return fillTemplate(places, { first: tokens("first", text), ...(given.pair !== undefined && { second: tokens("second", given.pair) }) });
  }

  /**
   * Return the places of the model's template for a call.
   * @param {Given} given the checked options
   * @returns {import("./template.js").Place[]}
   */
  #templatePlaces(given) {
    return placesOf(this.#openCore, given.pair !== undefined, given.special === true);
  }

  /**
   * Return how many ids the template adds in a call; 0 if they are not wanted.
   * @param {Given} given the checked options
   * @returns {number}
   */
  #templateIdCount(given) {
    return given.special ? this.#templatePlaces(given).filter(({ what }) => what === "id").length : 0;
  }

  /**
   * Return the ids of a part of a text, in one call of the core.
   * @param {Text} part
   * @param {Given} given the checked options
   * @returns {Uint32Array}
   */
  #encodePart(part, { mask, flags, sampling }) {
    return this.#openCore.encode(part, mask, flags, sampling);
  }

  /**
   * Yield the ids of each part of a text.
   * @param {Text} text
   * @param {Given} given the checked options
   * @returns {Generator<Uint32Array>}
   */
  *#encodeParts(text, given) {
    for (const part of this.#partsOf(text, given)) yield this.#encodePart(part, given);
  }

  /**
   * Write the first ids of a text into `target`, as many as fit without splitting a character.
   * @param {Text} text
   * @param {Uint32Array} target changed in place; entries after the last id that is written stay as they are
   * @param {EncodeOptions} [options]
   * @returns {{ read: number, written: number }} how much of the text the ids stand for, in UTF-16 units of a string or in bytes; how many ids
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  encodeInto(text, target, options) {
    requireTarget(target);
    const given = this.#prepareCall(text, options);
    const total = { read: 0, written: 0 };
    for (const part of this.#partsOf(text, given, partSizeFor(target.length))) {
      const { read, written } = this.#openCore.encodeInto(part, target.subarray(total.written), given.mask, given.flags);
      total.read += read;
      total.written += written;
      if (read < part.length) break;
    }
    return total;
  }

  /**
   * Yield the ids of a long text, some at a time, without the model's template. Arguments are checked when the first ids are asked for.
   * @param {Text} text
   * @param {IdsOptions} [options] PART_OPTIONS
   * @returns {Generator<Uint32Array | number[], void, undefined>}
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  *encodeGenerator(text, options) {
    const given = this.#prepareCall(text, options, PART_OPTIONS);
    for (const ids of this.#encodeParts(text, given)) yield given.array ? listOf(ids) : ids;
  }

  /**
   * Return the ids of a text, and where each token begins and ends in UTF-16 units; with `units`, also where pretokens and units do.
   * @param {Text} text
   * @param {OffsetOptions} [options]
   * @returns columns `ids`, `starts`, `ends`; with a pair or the template also `types`; with units `unitStarts`, `unitEnds`, `unitRoutes`
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  encodeWithOffsets(text, options) {
    const given = this.#prepareCall(text, options, OFFSET_OPTIONS);
    if (given.units && !isSingleText(given)) throw argumentError("units", true, "left out where there is a pair, or special tokens are added");
    return isSingleText(given) ? this.#tokensWithOffsets(text, given, this.#trim) : this.#fillTemplate(text, given, this.#tokensWithOffsets);
  }

  /**
   * Return the columns of one text as #encodeAllWithOffsets does, with offsets trimmed as the model's post-processor does.
   * @param {Text} text
   * @param {Given} given the checked options of the call
   * @param {number} trim how, as trimOffsets takes it; 0: not at all
   * @returns new columns; offsets in UTF-16 units
   */
  #tokensWithOffsets = (text, given, trim) => {
    const found = this.#encodeAllWithOffsets(text, given);
    if (trim) trimOffsets(found, text, trim, given.special === true, this.#openCore, this.#addedTokens.trimmed);
    return found;
  };

  /**
   * Return the columns of one text: `ids`, `starts` and `ends`, and, if units are wanted, `unitStarts`, `unitEnds` and `unitRoutes`. A text
   * of more than PART_BYTES bytes or UTF-16 units is encoded in parts, the columns of which are joined.
   * @param {Text} text
   * @param {Given} given the checked options
   * @returns new columns; offsets in UTF-16 units of the whole text
   */
  #encodeAllWithOffsets(text, given) {
    if (text.length <= PART_BYTES) return this.#encodePartWithOffsets(text, given);
    const parts = [...this.#encodePartsWithOffsets(text, given)];
    const { unitRoutes, ...columns } = parts[0];
    const names = /** @type {(keyof typeof columns)[]} */ (Object.keys(columns));
    const all = /** @type {typeof columns} */ (
      Object.fromEntries(names.map((name) => [name, joinArrays(parts.map((part) => /** @type {Uint32Array} */ (part[name])))]))
    );
    if (!unitRoutes) return all;
    return { ...all, unitRoutes: Uint16Array.from(parts.flatMap((part) => Array.from(part.unitRoutes ?? []))) };
  }

  /**
   * Return the columns of a part of a text, as #encodeAllWithOffsets does, in one call of the core.
   * @param {Text} part
   * @param {Given} given the checked options
   * @returns new columns; offsets in UTF-16 units of the part
   */
  #encodePartWithOffsets(part, { mask, flags, units, sampling }) {
    return this.#openCore.encodeWithOffsets(part, mask, flags, units, sampling);
  }

  /**
   * Yield the columns of each part of a text, as #encodePartWithOffsets returns them, but with offsets in UTF-16 units of the whole text.
   * @param {Text} text
   * @param {Given} given the checked options
   * @returns a generator; nothing for an empty text
   */
  *#encodePartsWithOffsets(text, given) {
    let offset = 0;
    for (const part of this.#partsOf(text, given)) {
      const found = this.#encodePartWithOffsets(part, given);
      for (const places of [found.starts, found.ends, found.unitStarts ?? NONE, found.unitEnds ?? NONE])
        for (let i = 0; i < places.length; i++) places[i] += offset;
      offset += this.#openCore.utf16Length(part);
      yield found;
    }
  }

  /**
   * Return how many ids encode gives.
   * @param {Text} text
   * @param {PairOptions} [options]
   * @returns {number}
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  countTokens(text, options) {
    const given = this.#prepareCall(text, options, PAIR_OPTIONS);
    return this.#count(text, given, MAX_ID, PART_BYTES);
  }

  /**
   * Count the tokens of a text up to a limit; counting stops soon after it.
   * @param {Text} text
   * @param {number} limit in tokens, 0 or more
   * @param {PairOptions} [options]
   * @returns {number | false} the count (0 for an empty text), or false if there are more than `limit` tokens
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  isWithinTokenLimit(text, limit, options) {
    const most = tokenLimit(limit, "limit", 0, "; for no limit, call countTokens");
    const given = this.#prepareCall(text, options, PAIR_OPTIONS);
    return this.#countWithin(text, most, given);
  }

  /**
   * Count the tokens of one text or two, and of the template, up to a limit; a text that is too long for it is not even encoded.
   * @param {Text} text
   * @param {number} limit in tokens
   * @param {Given} given the checked options of the call
   * @returns {number | false} false if there are more
   */
  #countWithin(text, limit, given) {
    // No token is longer, unless it stands for unknown text, so a text of this length need not be encoded.
    if (given.flags === 0 && this.#isBounded && text.length > limit * this.info.maxTokenBytes && !this.#addedTokens.takesSpace) return false;
    const count = this.#count(text, given, limit, partSizeFor(limit));
    return count <= limit && count;
  }

  /**
   * Count the tokens of one text or two, and of the template.
   * @param {Text} text
   * @param {Given} given the checked options of the call
   * @param {number} limit in tokens: counting stops when there are more
   * @param {number} size about how long a part is that is counted at a time, in bytes or UTF-16 units
   * @returns {number} the count; some number above `limit` if counting stopped
   */
  #count(text, given, limit, size) {
    if (isSingleText(given)) return this.#countText(text, given, limit, size);
    let count = this.#templateIdCount(given);
    for (const each of given.pair === undefined ? [text] : [text, given.pair]) {
      if (count <= limit) count += this.#countText(each, given, limit - count, size);
    }
    return count;
  }

  /**
   * Count the tokens of a single text, without the template.
   * @param {Text} text
   * @param {Given} given the checked options of the call
   * @param {number} limit in tokens: counting stops when there are more
   * @param {number} size about how long a part is that is counted at a time, in bytes or UTF-16 units
   * @returns {number} the count; some number above `limit` if counting stopped
   */
  #countText(text, given, limit, size) {
    const { mask, flags } = given;
    if (text.length <= size) return this.#openCore.count(text, mask, flags, limit);
    let count = 0;
    for (const part of this.#partsOf(text, given, size)) {
      count += this.#openCore.count(part, mask, flags, limit - count);
      if (count > limit) break;
    }
    return count;
  }

  /**
   * Check the texts and options of a call that encodes several texts, and return what they mean to the core.
   * @param {Iterable<Text>} texts
   * @param {BatchOptions | undefined} options
   * @param {ReadonlySet<string>} known the names of the method's options
   * @returns {{ firsts: Text[], seconds?: Text[], given: Given }} the texts, and a second one for each if there are pairs
   * @throws {WwhoError} FREED, ARGUMENT, or SPECIAL_TOKEN if a text contains a disallowed one
   */
  #prepareBatch(texts, options, known) {
    void this.#openCore;
    const firsts = textList(texts, "texts");
    if (options === undefined) return { firsts, given: DEFAULTS };
    requireOptions(options, known);
    const { pairs, ...rest } = options;
    const seconds = pairs === undefined ? undefined : textList(pairs, "pairs");
    if (seconds && seconds.length !== firsts.length) throw argumentError("the number of pairs", seconds.length, `${firsts.length}, one for each text`);
    return { firsts, seconds, given: this.#readOptions(seconds ? [...firsts, ...seconds] : firsts, rest) };
  }

  /**
   * Return the ids of each of several texts, or pairs of texts, in one call.
   * @param {Iterable<Text>} texts a list of texts, not one text
   * @param {BatchOptions} [options] `pairs` has a second text for each
   * @returns {(Uint32Array | number[])[]} in the order of the texts; plain arrays with `array: true`
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  encodeBatch(texts, options) {
    const { firsts, seconds, given } = this.#prepareBatch(texts, options, BATCH_OPTIONS);
    // What is drawn for a text depends on its number; of pairs, each text counts.
    const mixed = given.sampling && seconds && this.#encodeEach(seconds.flatMap((second, i) => [firsts[i], second]), given);
    let rows = mixed ? mixed.filter((_, i) => i % 2 === 0) : this.#encodeEach(firsts, given);
    if (seconds || given.special) {
      const places = placesOf(this.#openCore, seconds !== undefined, given.special === true);
      const others = mixed ? mixed.filter((_, i) => i % 2) : seconds && this.#encodeEach(seconds, given);
      rows = rows.map((ids, i) => fillTemplate(places, { first: { ids }, ...(others && { second: { ids: others[i] } }) }).ids);
    }
    return given.array ? rows.map(listOf) : rows;
  }

  /**
   * Count the tokens of each of several texts, or pairs of texts, in one call.
   * @param {Iterable<Text>} texts a list of texts, not one text
   * @param {PairsOptions} [options] `pairs` has a second text for each
   * @returns {number[]} in the order of the texts
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  countBatch(texts, options) {
    const { firsts, seconds, given } = this.#prepareBatch(texts, options, PAIRS_OPTIONS);
    const counts = this.#countEach(firsts, given);
    if (!seconds && !given.special) return counts;
    const others = seconds && this.#countEach(seconds, given);
    const more = given.special ? placesOf(this.#openCore, seconds !== undefined, true).filter(({ what }) => what === "id").length : 0;
    return counts.map((count, i) => count + more + (others ? others[i] : 0));
  }

  /**
   * Return the ids of each text, without the template; many short texts are given to the core together.
   * @param {readonly Text[]} texts
   * @param {Given} given the checked options
   * @returns {Uint32Array[]}
   */
  #encodeEach(texts, given) {
    /** @type {Uint32Array[]} */
    const rows = [];
    for (const group of groupsOf(texts)) {
      const own = forText(given, rows.length);
      if (group.length === 1) rows.push(this.#encodeAll(group[0], own));
      else for (const ids of this.#openCore.encodeTexts(group, own.mask, own.flags, own.sampling)) rows.push(ids);
    }
    return rows;
  }

  /**
   * Return the number of tokens of each text, without the template; many short texts are given to the core together.
   * @param {readonly Text[]} texts
   * @param {Given} given the checked options
   * @returns {number[]}
   */
  #countEach(texts, given) {
    /** @type {number[]} */
    const counts = [];
    for (const group of groupsOf(texts)) {
      if (group.length === 1) counts.push(this.#countText(group[0], given, MAX_ID, PART_BYTES));
      else for (const count of this.#openCore.countTexts(group, given.mask, given.flags)) counts.push(count);
    }
    return counts;
  }

  /**
   * Yield the ids of a whole text that comes in chunks, some at a time.
   * @param {any} source a ReadableStream, Blob or (async) iterable of strings or bytes
   * @param {EncodeOptions & StreamOptions} [options] with `fatal`, broken UTF-8 is an error
   * @returns {AsyncGenerator<Uint32Array, void, undefined>}
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, UTF8, MEMORY; the signal's reason, and what the source throws
   */
  async *encodeStream(source, options) {
    for await (const { ids } of this.#encodeChunks(source, false, options)) yield ids;
  }

  /**
   * Count the ids of a whole text that comes in chunks: as many as encodeStream yields.
   * @param {any} source a ReadableStream, Blob or (async) iterable of strings or bytes
   * @param {EncodeOptions & StreamOptions} [options]
   * @returns {Promise<number>}
   * @throws what encodeStream does
   */
  async countStream(source, options) {
    let count = 0;
    for await (const { tokens } of this.#encodeChunks(source, true, options)) count += tokens;
    return count;
  }

  /**
   * Encode a text that comes in chunks, and yield what the core gives of each part that can be encoded without what follows.
   * @param {any} source
   * @param {boolean} countsOnly whether only the number of tokens is wanted
   * @param {EncodeOptions & StreamOptions} [options] `onProgress` is called for each part
   * @returns {AsyncGenerator<ReturnType<Core["encodePart"]>, void, undefined>}
   */
  async *#encodeChunks(source, countsOnly, options = {}) {
    requireOptions(options, STREAM_OPTIONS);
    const { signal, onProgress, fatal = false, ...encoding } = options;
    requireBoolean(fatal, "fatal");
    const given = reusable(encoding);
    const { flags } = this.#prepareCall("", given);
    // Disallowed tokens are searched for in each part, so none may be cut.
    const mask = allowedMask(this.#addedTokens.indices, this.#namedSpecials(given));
    let [bytes, tokens, place] = [0, 0, 0];
    const parts = new Parts((text, more) => {
      signal?.throwIfAborted();
      const found = this.#openCore.encodePart(text, more, mask, flags, place, countsOnly);
      if (found.read === 0) return found;
      const part = text.subarray(0, found.read);
      if (fatal) requireUtf8(part, bytes);
      void this.#prepareCall(part, given);
      place = found.place;
      tokens += found.tokens;
      bytes += found.read;
      onProgress?.({ bytes, tokens });
      return found;
    });
    for await (const chunk of itemsOf(source, signal)) yield* parts.add(chunk);
    yield* parts.end();
  }

  /**
   * Return the special tokens that options name as allowed or as disallowed.
   * @param {EncodeOptions} options
   * @returns {Set<string>}
   */
  #namedSpecials({ allowedSpecial, disallowedSpecial }) {
    const named = [allowedSpecial, disallowedSpecial].flatMap((names) =>
      names === "all" ? [...this.specialTokens.keys()] : [...(names ?? [])],
    );
    return new Set(named);
  }

  /**
   * Return the longest beginning of a text that ends within its first `limit` tokens and alone has at most `limit` tokens; it is never cut
   * inside a syllable or a character.
   * @param {string} text
   * @param {number} limit in tokens; with `addSpecialTokens`, the template's are among them
   * @param {TemplateOptions} [options]
   * @returns {string} the text itself if it has no more tokens; "" if not even the first syllable fits
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY
   */
  truncate(text, limit, options) {
    requireString(text);
    const given = this.#prepareCall(text, options, TEMPLATE_OPTIONS);
    const special = this.#templateIdCount(given);
    const most = tokenLimit(limit, "limit", special) - special;
    const within = (/** @type {string} */ part, /** @type {number} */ n) => this.#countWithin(part, special + n, given);
    if (within(text, most) !== false) return text;
    return longestStart(text, most, this.#boundaries(text, given, most), within);
  }

  /**
   * Cut a text into chunks for retrieval, each of at most `limit` tokens, never inside a syllable or a character.
   * @param {string} text
   * @param {number} limit in tokens, of each chunk; with `addSpecialTokens`, the template's are among them
   * @param {ChunkOptions} [options] `overlap` in tokens, 0 by default; `prefer`, "paragraph" by default; `oversize`, "split" by default
   * @returns {import("./boundaries.js").Chunk[]} in order; none for an empty text
   * @throws {WwhoError} FREED, ARGUMENT, SPECIAL_TOKEN, MEMORY; LIMIT if a single syllable has more tokens, with `oversize: "error"`
   */
  chunk(text, limit, options = {}) {
    requireString(text);
    requireOptions(options, CHUNK_OPTIONS);
    const { overlap = 0, prefer = "paragraph", oversize = "split", ...encoding } = options;
    const given = this.#prepareCall(text, encoding, TEMPLATE_OPTIONS);
    const special = this.#templateIdCount(given);
    const most = tokenLimit(limit, "limit", special + 1) - special;
    const aside = special > 0 ? " without the template's tokens" : "";
    const shared = tokenLimit(overlap, "overlap", 0);
    if (shared >= most) {
      throw argumentError("overlap", shared, `less than limit, which is ${most}${aside}`);
    }
    if (!KINDS.includes(prefer)) throw argumentError("prefer", prefer, `one of ${KINDS.join(", ")}`);
    if (!OVERSIZE.includes(oversize)) throw argumentError("oversize", oversize, `one of ${OVERSIZE.join(", ")}`);
    const within = (/** @type {string} */ part, /** @type {number} */ n) => this.#countWithin(part, special + n, given);
    return chunks(text, { limit: most, aside, oversize }, shared, prefer, this.#boundaries(text, given, MAX_ID), within);
  }

  /**
   * Encode a text, and find the places between two tokens that lie inside no syllable. The search ends after the part of the text in which
   * the token number `most` lies.
   * @param {string} text
   * @param {Given} given the checked options of the call
   * @param {number} most in tokens
   * @returns {import("./boundaries.js").Boundaries}
   */
  #boundaries(text, given, most) {
    const [tokens, places] = [[0], [0]];
    let [before, offset] = [0, 0];
    for (const part of this.#partsOf(text, given, partSizeFor(most))) {
      const found = this.#encodePartWithOffsets(part, { ...given, units: this.#routes.some(({ hasUnits }) => hasUnits) });
      const { ids, starts, ends } = found;
      const isWithinUnit = this.#insideUnit(found);
      ids.forEach((_, i) => {
        // Text between two tokens, such as a combining mark that was composed, belongs to the first.
        const place = i + 1 < ids.length ? starts[i + 1] : part.length;
        if (place < ends[i] || isWithinUnit(place)) return;
        tokens.push(before + i + 1);
        places.push(offset + place);
      });
      before += ids.length;
      offset += part.length;
      if (before > most) break;
    }
    // The last parts may have no tokens.
    if (places.length > 1 && offset === text.length) places[places.length - 1] = offset;
    return { tokens, places };
  }

  /**
   * Return a function that tells whether a place is inside a unit of a route that has units, such as a syllable. Call it with ascending
   * places only.
   * @param {ReturnType<Core["encodeWithOffsets"]>} found with pretokens and units; without them, no place is inside one
   * @returns {(place: number) => boolean} of a place in UTF-16 units
   */
  #insideUnit({ unitStarts: starts, unitEnds: ends, unitRoutes: routes }) {
    if (!starts || !ends || !routes) return () => false;
    let k = 0;
    return (place) => {
      while (ends[k] <= place) k++;
      return k < ends.length && starts[k] < place && this.#routes[routes[k]].hasUnits;
    };
  }

  /**
   * Return the text of ids as bytes: UTF-8, with broken characters as they are.
   * @param {Iterable<number>} ids
   * @param {DecodeOptions} [options]
   * @returns {Uint8Array<ArrayBuffer>}
   * @throws {WwhoError} FREED, ARGUMENT, MEMORY; TOKEN for an id without a token
   */
  decodeBytes(ids, options) {
    const flags = this.#decodeFlags(options);
    const given = checkedIds(ids);
    return given.length <= PART_IDS ? this.#decode(given, 0, flags).bytes : joinArrays(this.#decodeParts(given, flags));
  }

  /**
   * Check the options of a method that decodes, and return them as flags.
   * @param {any} options
   * @param {ReadonlySet<string>} [known] the names of the method's options
   * @returns {number} SKIP_SPECIAL and LIKE_TOKENIZERS, or 0
   * @throws {WwhoError} ARGUMENT
   */
  #decodeFlags(options, known = DECODE_OPTIONS) {
    if (options === undefined) return 0;
    requireOptions(options, known);
    const { skipSpecialTokens = false, likeTokenizers = false } = options;
    requireBoolean(skipSpecialTokens, "skipSpecialTokens");
    requireBoolean(likeTokenizers, "likeTokenizers");
    return (skipSpecialTokens ? SKIP_SPECIAL : 0) | (likeTokenizers ? LIKE_TOKENIZERS : 0);
  }

  /**
   * Decode ids in one call of the core.
   * @param {Uint32Array} given
   * @param {number} first the index of given[0] among the caller's ids, for an error message
   * @param {number} flags of decode_part in wwho.h, and LIKE_TOKENIZERS
   * @returns {{ bytes: Uint8Array<ArrayBuffer>, read: number }} the text, and how many ids were read
   * @throws {WwhoError} FREED, MEMORY; TOKEN for an id without a token
   */
  #decode(given, first, flags) {
    const result = this.#decodingCore(flags).decode(given, flags & ~LIKE_TOKENIZERS);
    if ("unknown" in result) throw this.#unknownIdError(given[result.unknown], first + result.unknown);
    return result;
  }

  /**
   * Return a decoder of ids that come in parts.
   * @param {number} flags SKIP_SPECIAL and LIKE_TOKENIZERS, or 0
   * @returns {Decoding}
   */
  #newDecoding(flags) {
    return new Decoding((ids, index, more) => this.#decode(ids, index, more), flags, this.#waits);
  }

  /**
   * Yield the text of many ids as bytes, some at a time; all ids are checked before the first bytes.
   * @param {Uint32Array} given
   * @param {number} flags SKIP_SPECIAL and LIKE_TOKENIZERS, or 0
   * @returns {Generator<Uint8Array<ArrayBuffer>>}
   * @throws {WwhoError} FREED; TOKEN for an id without a token; MEMORY for 4 GiB of text
   */
  *#decodeParts(given, flags) {
    let length = 0;
    for (let at = 0; at < given.length; at += PART_IDS) {
      const found = this.#decodingCore(flags).decodedLength(given.subarray(at, at + PART_IDS));
      if ("unknown" in found) throw this.#unknownIdError(given[at + found.unknown], at + found.unknown);
      length += found.length;
    }
    if (length > MAX_BYTES) throw decodedTooLongError(given.length);
    const decoding = this.#newDecoding(flags);
    for (let at = 0; at < given.length; at += PART_IDS) yield decoding.add(given.subarray(at, at + PART_IDS));
    yield decoding.end();
  }

  /**
   * Make the error for an id without a token; the caller throws it.
   * @param {number} id
   * @param {number} index among the caller's ids
   * @returns {WwhoError} of status TOKEN
   */
  #unknownIdError(id, index) {
    return new WwhoError(
      "TOKEN",
      `token id ${id} (at index ${index}) is none of ${this.name}'s, whose ids are below ${this.info.nVocab}; ` +
        "was it made by another tokenizer?",
    );
  }

  /**
   * Return a function that decodes ids which come in parts: it gives the text that is complete with more of them, and without an argument the
   * rest.
   * @param {any} options
   * @param {ReadonlySet<string>} known the names of the method's options
   * @returns {(ids?: Uint32Array) => string}
   * @throws {WwhoError} ARGUMENT; FREED after free(), so that a freed tokenizer has no text even for no ids
   */
  #newTextDecoder(options, known) {
    void this.#openCore;
    const [decoder, decoding] = [newDecoder(), this.#newDecoding(this.#decodeFlags(options, known))];
    const { graphemes = false } = options ?? {};
    requireBoolean(graphemes, "graphemes");
    const cut = graphemes ? graphemesOf() : (/** @type {string} */ text) => text;
    return (ids) => cut(decoder.decode(ids ? decoding.add(ids) : decoding.end(), { stream: ids !== undefined }), !ids);
  }

  /**
   * Return the text of ids.
   * @param {Iterable<number>} ids
   * @param {DecodeOptions} [options]
   * @returns {string} broken UTF-8 becomes U+FFFD
   * @throws {WwhoError} FREED, ARGUMENT, MEMORY; TOKEN for an id without a token
   */
  decode(ids, options) {
    const flags = this.#decodeFlags(options);
    const given = checkedIds(ids);
    if (given.length <= PART_IDS) return utf8(this.#decode(given, 0, flags).bytes);
    const decoder = newDecoder();
    let text = "";
    for (const part of this.#decodeParts(given, flags)) {
      const more = decoder.decode(part, { stream: true });
      try {
        text += more;
      } catch (cause) {
        throw new WwhoError("MEMORY", `the text of these ${given.length} ids is too long for a string; decode fewer`, {
          cause,
        });
      }
    }
    return text + decoder.decode();
  }

  /**
   * Yield the text of ids token by token, in whole characters: a token that ends inside one yields nothing, or only what is complete. With
   * `graphemes`, in whole graphemes, of which the last waits for the next token.
   * @param {Iterable<number>} ids read one by one
   * @param {DecodeStreamOptions} [options]
   * @returns {Generator<string, void, undefined>} no text is empty
   * @throws {WwhoError} FREED, ARGUMENT; TOKEN for an id without a token, after the text of those before
   */
  *decodeGenerator(ids, options) {
    requireIterable(ids);
    const decode = this.#newTextDecoder(options, DECODE_STREAM_OPTIONS);
    for (const id of ids) {
      const text = decode(checkedIds([id]));
      if (text) yield text;
    }
    const rest = decode();
    if (rest) yield rest;
  }

  /**
   * Yield the text of ids that come from a model, one by one or several at a time, as decodeGenerator does.
   * @param {any} source a ReadableStream or (async) iterable of ids, or of iterables of ids
   * @param {DecodeStreamOptions & { signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<string, void, undefined>} no text is empty
   * @throws {WwhoError} FREED, ARGUMENT, TOKEN; the signal's reason, and what the source throws
   */
  async *decodeAsyncGenerator(source, options) {
    const decode = this.#newTextDecoder(options, FEED_OPTIONS);
    for await (const item of itemsOf(source, options?.signal)) {
      const text = decode(checkedIds(typeof item === "number" ? [item] : item));
      if (text) yield text;
    }
    const rest = decode();
    if (rest) yield rest;
  }

  /**
   * Return the bytes of one token. A token of a SCRIPT model is decoded to UTF-8, unless it begins or ends inside a character: then its symbols
   * are returned.
   * @param {number} id
   * @returns {Uint8Array<ArrayBuffer>}
   * @throws {WwhoError} FREED; TOKEN for an id without a token
   */
  tokenBytes(id) {
    const [given] = checkedIds([id]);
    const bytes = this.#openCore.tokenBytes(given);
    if (bytes === null) throw this.#unknownIdError(given, 0);
    if (!isSymbols(bytes)) return bytes;
    const decoded = this.decodeBytes([given]);
    const text = utf8(decoded);
    return text.includes("\ufffd") && 4 * Array.from(text).length !== bytes.length ? bytes : decoded;
  }

  /**
   * Return the id of the token with exactly this text or these bytes: of a special token, if one has this text, as @huggingface/tokenizers does.
   * Nothing is normalized: of most models of SentencePiece, tokens begin with U+2581 in place of a space, as tokenBytes gives them. Of a SCRIPT
   * model, the token of a byte is not found if its character is written with a block and an index.
   * @param {Text} token
   * @returns {number | undefined} undefined if no token has this text; of several tokens with one text, the id of the last model's
   * @throws {WwhoError} FREED, ARGUMENT
   */
  tokenToId(token) {
    const core = this.#openCore;
    requireText(token);
    // A lone surrogate is in no token, but would be looked for as U+FFFD.
    if (typeof token === "string" && /\p{Surrogate}/u.test(token)) return undefined;
    const bytes = typeof token === "string" ? new TextEncoder().encode(token) : token;
    const text = typeof token === "string" ? token : textOrBytes(token);
    const id = this.specialTokens.get(/** @type {string} */ (text)) ?? core.tokenId(bytes);
    // The core knows tokens of SCRIPT by their symbols, and those of bytes that spell unknown text by no text. None has more than 1,024 bytes.
    if (id !== undefined || bytes.length > 1024) return id;
    const ids = this.encode(token, { added: false });
    return ids.length === 1 && hex(this.tokenBytes(ids[0])) === hex(bytes) ? ids[0] : undefined;
  }

  /**
   * Return the text of one token, or its bytes if they are no UTF-8, as those of a token that ends inside a character.
   * @param {number} id
   * @returns {string | Uint8Array<ArrayBuffer>} what tokenToId takes
   * @throws {WwhoError} FREED; TOKEN for an id without a token
   */
  idToToken(id) {
    return textOrBytes(this.tokenBytes(id));
  }

  /**
   * Make a tokenizer that has further special tokens beside those of this one, which stays as it is. Both are freed on their own.
   * @param {import("./extending.js").SpecialTokens} tokens ids by texts; a special token that there is already gets the new id
   * @param {{ sharesIds?: boolean }} [options] `sharesIds`: whether an id may be that of another special token, and then decodes to the new one
   * @returns {this} a tokenizer of the same class
   * @throws {WwhoError} FREED; ARGUMENT for a text that no token can have, an id that another token has, or another id for a token that the
   *   template, the decoder or a model needs under its own
   */
  withSpecialTokens(tokens, options) {
    const file = extendFile(this.#openCore, tokens, this.name, options);
    return new /** @type {any} */ (this.constructor)(this.#module, file);
  }

  /**
   * Return the tokenizer's .wwho file, to be saved, or for a tokenizer in a Worker.
   * @returns {Uint8Array<ArrayBuffer>} a copy
   * @throws {WwhoError} FREED
   */
  toBytes() {
    return this.#openCore.file();
  }

  /**
   * Cut a text, after it is normalized, into segments of one route each, with the units of routes that have them. Added tokens are not looked
   * for.
   * @param {Text} text
   * @returns {import("./segments.js").Segment[]} in order; none for an empty text
   * @throws {WwhoError} FREED, ARGUMENT, MEMORY
   */
  segment(text) {
    text = this.normalize(text);
    return segmentsOf(this.#openCore, this.#routes, text, this.#partsOf(text, DEFAULTS));
  }

  /**
   * Return the segments of a text, after it is normalized, with every step of the automata that cut them. Of a SCRIPT model, return its
   * pretokens instead, with the symbols of each character.
   * @param {Text} text
   * @returns segments as segment() gives them, with `states` and with traced units in place of `units` and `rules`
   * @throws {WwhoError} FREED, ARGUMENT, MEMORY
   */
  trace(text) {
    requireText(text);
    const segments = this.segment(text);
    const traced = segments.map((this.#tracer ??= tracerOf(this.#openCore)));
    return this.provenance.script_indices ? traced.flatMap((segment) => this.#traceScript(this.normalize(text), segment)) : traced;
  }

  /**
   * Return the pretokens of a segment as a SCRIPT model writes them; a segment of a route with units stays as it is.
   * @param {Text} text the whole text, normalized
   * @param {ReturnType<ReturnType<typeof tracerOf>>} segment
   * @returns the same kind of objects, one for each pretoken; `states` is 0
   */
  #traceScript(text, segment) {
    const { route, start, end } = segment;
    if (this.#routes.find(({ name }) => name === route)?.hasUnits) return [segment];
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const write = (/** @type {Uint8Array} */ each) => Uint8Array.from(Array.from(this.encode(each, { added: false })).flatMap((id) => [...(this.#openCore.tokenBytes(id) ?? [])]));
    const { spans, starts, ends } = this.#openCore.spans(text);
    const slice = slicer(text);
    return spans.flatMap((span, i) => {
      if (starts[i] < start || ends[i] > end) return [];
      const units = traceScript(bytes.subarray(span.start, span.end), write, this.provenance);
      return [{ route, text: slice(span, starts[i], ends[i]), start: starts[i], end: ends[i], states: 0, units }];
    });
  }

  /**
   * Release the core's memory. Methods fail with status FREED afterwards, and properties stay; freeing the tokenizer again does nothing.
   */
  free() {
    if (this.#core !== undefined) void this.#addedTokens; // read now, for specialTokens
    this.#core = this.#peer = undefined;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }

  /** Return a short description for people: the name and the number of tokens. @returns {string} */
  toString() {
    return `Tokenizer(${this.name}, ${this.info.nVocab} tokens)`;
  }
}

/**
 * Tell whether a call has a single text, without the ids of a template.
 * @param {Given} given the checked options
 * @returns {boolean}
 */
const isSingleText = ({ pair, special }) => pair === undefined && !special;

/**
 * Return bytes as a string, or the bytes themselves if they are no UTF-8.
 * @template {Uint8Array} B
 * @param {B} bytes
 * @returns {string | B}
 */
function textOrBytes(bytes) {
  const text = utf8(bytes);
  // The text may have a U+FFFD of its own.
  return text.includes("\ufffd") && hex(new TextEncoder().encode(text)) !== hex(bytes) ? bytes : text;
}

/**
 * Return about how long the parts of a text should be if only this many tokens are needed.
 * @param {number} tokens
 * @returns {number} in bytes or UTF-16 units
 */
const partSizeFor = (tokens) => Math.min(PART_BYTES, Math.max(LEAST_BYTES, BYTES_PER_TOKEN * (tokens + 1)));

/**
 * Reject a part of a text that is not UTF-8. Parts begin and end with whole characters, unless the text is broken.
 * @param {Uint8Array} part
 * @param {number} before how many bytes of the text come before it, for the message
 * @throws {WwhoError} UTF8
 */
function requireUtf8(part, before) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(part);
  } catch (cause) {
    const message = `the text is not UTF-8 between byte ${before} and byte ${before + part.length}; leave fatal out to take it as it is`;
    throw new WwhoError("UTF8", message, { cause });
  }
}
