// The tokenizer as its users see it. The entries (index.js, node.js, ...) load it; core.js handles memory.

import {
  MAX_ID,
  argumentError,
  bindMethods,
  checkedIds,
  isModule,
  isUint8Array,
  requireIterable,
  requireMemory,
  requireOptions,
  requireString,
  requireTarget,
  requireText,
  tokensIn,
} from "./arguments.js";
import { KINDS, chunks, longestStart } from "./boundaries.js";
import { Core, decodedTooLong } from "./core.js";
import { Decoding, newDecoder, utf8 } from "./decoding.js";
import { WwhoError } from "./errors.js";
import { ADDED_LSTRIP, ADDED_RSTRIP, ADDED_SPECIAL, NO_ADDED, OF_TOKENIZER, SKIP_SPECIAL, UNK_TOKEN } from "./header.js";
import { CUT, KEEP, WAITS, describe, listSteps, readProvenance } from "./info.js";
import { itemsOf } from "./items.js";
import { PART_BYTES, Parts, joined, partsOf } from "./parts.js";
import { segmentsOf, slicer } from "./segments.js";
import { allowedMask, nameSet, refuseDisallowed, reusable } from "./special.js";
import { filled, placesOf, trimOffsets, trimmed } from "./template.js";
import { isSymbols, traceScript, tracerOf } from "./trace.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./special.js").Names} Names */
/** @typedef {{ allowedSpecial?: Names, disallowedSpecial?: Names, unk?: "spell" | "token" }} EncodeOptions */
/** @typedef {EncodeOptions & { addSpecialTokens?: boolean }} TemplateOptions */
/** @typedef {TemplateOptions & { pair?: Text, added?: boolean }} PairOptions */
/** @typedef {PairOptions & { array?: boolean }} IdsOptions */
/** @typedef {PairOptions & { units?: boolean }} OffsetOptions */
/** @typedef {{ skipSpecialTokens?: boolean }} DecodeOptions */
/** @typedef {TemplateOptions & { overlap?: number, prefer?: import("./boundaries.js").Kind }} ChunkOptions */
/** @typedef {{ mask: Uint8Array | null, flags: number, array: boolean, pair?: Text, special?: boolean, units?: boolean }} Given what options mean to the core, and what ids come in */
/** @typedef {{ signal?: AbortSignal, fatal?: boolean, onProgress?: (progress: { bytes: number, tokens: number }) => void }} StreamOptions */

/** For calls without options. @type {Given} */
const DEFAULTS = Object.freeze({ mask: null, flags: 0, array: false });
const ENCODE_OPTIONS = new Set(["allowedSpecial", "disallowedSpecial", "unk"]);
const PART_OPTIONS = new Set([...ENCODE_OPTIONS, "array"]);
const TEMPLATE_OPTIONS = new Set([...ENCODE_OPTIONS, "addSpecialTokens"]);
const PAIR_OPTIONS = new Set([...ENCODE_OPTIONS, "pair", "added", "addSpecialTokens"]);
const NONE = new Uint32Array();
const OFFSET_OPTIONS = new Set([...PAIR_OPTIONS, "units"]);
const IDS_OPTIONS = new Set([...PAIR_OPTIONS, "array"]);
const STREAM_OPTIONS = new Set([...ENCODE_OPTIONS, "signal", "onProgress", "fatal"]);
const CHUNK_OPTIONS = new Set([...TEMPLATE_OPTIONS, "overlap", "prefer"]);
const DECODE_OPTIONS = new Set(["skipSpecialTokens"]);
const FEED_OPTIONS = new Set([...DECODE_OPTIONS, "signal"]);
/** The longest text that ids may have. */
const MAX_BYTES = 2 ** 32 - 1;

/** The size of parts if only the beginning of a text is needed: bytes per token, more than most have; and the minimum. */
const BYTES_PER_TOKEN = 16;
const LEAST_BYTES = 1 << 12;
/** The number of ids that are decoded at a time. */
const PART_IDS = 1 << 16;

/**
 * The added tokens: the ids of special ones by their texts; the numbers of all by their texts; what `trimOffsets` needs to know, by their
 * ids; and whether any takes white space beside it.
 * @param {Core} core
 * @param {readonly { kind: string, unkId: number | null }[]} models
 */
function listAdded(core, models) {
  const all = Array.from({ length: core.info(OF_TOKENIZER).n_added ?? 0 }, (_, i) => {
    const { id, flags, bytes } = core.added(i);
    return { id, flags, text: utf8(bytes) };
  });
  const special = all.filter(({ flags }) => flags & ADDED_SPECIAL);
  const unknown = models.filter(({ kind }) => kind === "viterbi");
  /** @type {[number, string | null][]} */
  const texts = [...all.map(({ id, text }) => entry(id, trimmed(text))), ...unknown.map(({ unkId }) => entry(unkId ?? -1, null))];
  return {
    special: new Map(special.map(({ id, text }) => entry(text, id))),
    numbers: new Map(all.map(({ text }, i) => entry(text, i))),
    trimmed: new Map(texts),
    strips: all.some(({ flags }) => flags & (ADDED_LSTRIP | ADDED_RSTRIP)),
  };
}

/** @template K, V @param {K} key @param {V} value @returns {[K, V]} */
const entry = (key, value) => [key, value];

/** A tokenizer for one artifact. It is immutable; options are passed to each call. */
export class BaseTokenizer {
  /** @type {Core | undefined} */
  #core;
  /** @type {readonly { name: string, hasUnits: boolean }[]} */
  #routes;
  /** The added tokens, once they are needed: listing thousands takes milliseconds. @type {ReturnType<typeof listAdded> | undefined} */
  #tokens;
  /** Text of each special token and its id; the constructor makes it a getter. @type {ReadonlyMap<string, number>} @readonly */
  specialTokens = new Map();
  /** How the offsets of a single text are trimmed: FORMAT.md, TEMPLATE. */
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
    /** Where the model came from: texts by key. @readonly */
    this.provenance = Object.freeze(readProvenance(core.origin()));
    /** The encoding's name. @readonly */
    this.name = this.provenance.name ?? "unnamed";
    /** @readonly */
    this.info = describe(core);
    Object.defineProperty(this, "specialTokens", { get: () => this.#listed.special, enumerable: true });
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

  get #listed() {
    return (this.#tokens ??= listAdded(this.#open, this.info.models));
  }

  get #open() {
    if (this.#core === undefined) {
      throw new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`);
    }
    return this.#core;
  }

  /**
   * What the core needs for a call besides the text.
   * @param {Text} text
   * @param {(IdsOptions & OffsetOptions) | undefined} options
   * @param {ReadonlySet<string>} [known] names of options
   * @returns {Given}
   */
  #prepare(text, options, known = ENCODE_OPTIONS) {
    void this.#open;
    requireText(text);
    // Most calls have no options, and should not pay for them.
    return options === undefined ? DEFAULTS : this.#readOptions(text, options, known);
  }

  /**
   * What options mean, after the check for disallowed tokens.
   * @param {Text} text
   * @param {IdsOptions & OffsetOptions} options
   * @param {ReadonlySet<string>} known
   * @returns {Given}
   */
  #readOptions(text, options, known) {
    requireOptions(options, known);
    const { allowedSpecial, disallowedSpecial, unk = "spell", array = false, pair, addSpecialTokens = false, added = true, units = false } = options;
    if (pair !== undefined) requireText(pair);
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
    for (const each of pair === undefined ? [text] : [text, pair]) refuseDisallowed(each, this.specialTokens, allowed, disallowed);
    const flags = (unk === "token" ? UNK_TOKEN : 0) | (added ? 0 : NO_ADDED);
    return { mask: allowedMask(this.#listed.numbers, allowed), flags, array, pair, special: addSpecialTokens, units };
  }

  /**
   * Parts of a text whose tokens are those of the whole. The core's memory grows with the text of a call, and never shrinks.
   * @template {Text} T
   * @param {T} text
   * @param {Given} given
   * @param {number} [size] of the parts, in bytes or UTF-16 units
   * @returns {Iterable<T>}
   */
  #partsOf(text, { mask, flags }, size = PART_BYTES) {
    // If added tokens are not searched for, the core calls no place safe.
    if (text.length <= size || flags & NO_ADDED) return text.length > 0 ? [text] : [];
    return partsOf(text, this.#open, mask, size);
  }

  /**
   * A text as the first steps of the model's normalizer rewrite it, as a string or bytes; for most models the text itself.
   * @template {Text} T
   * @param {T} text
   * @returns {T}
   */
  normalize(text) {
    requireText(text);
    if (!this.#normalizes) return text;
    const { bytes } = this.#open.normalize(text);
    return /** @type {T} */ (typeof text === "string" ? utf8(bytes) : bytes);
  }

  /** @param {Text} text @param {IdsOptions} [options] */
  encode(text, options) {
    const given = this.#prepare(text, options, IDS_OPTIONS);
    const ids = isPlain(given) ? this.#encodeAll(text, given) : this.#filled(text, given, this.#idsOf).ids;
    return given.array ? Array.from(ids) : ids;
  }

  /** @param {Text} text @param {Given} given */
  #encodeAll(text, given) {
    return text.length <= PART_BYTES ? this.#encode(text, given) : joined(this.#encodeParts(text, given));
  }

  /** The same as filled() takes them. @param {Text} text @param {Given} given */
  #idsOf = (text, given) => ({ ids: this.#encodeAll(text, given) });

  /**
   * The tokens of one text or two, with those of the template.
   * @param {Text} text
   * @param {Given} given
   * @param {(text: Text, given: Given, trim: number) => import("./template.js").Tokens} tokensOf
   */
  #filled(text, given, tokensOf) {
    const places = this.#places(given);
    const tokens = (/** @type {string} */ name, /** @type {Text} */ each) =>
      tokensOf(each, given, places.find(({ what }) => what === name)?.id ?? 0);
    return filled(places, { first: tokens("first", text), ...(given.pair !== undefined && { second: tokens("second", given.pair) }) });
  }

  /** The places of the template. @param {Given} given */
  #places(given) {
    return placesOf(this.#open, given.pair !== undefined, given.special === true);
  }

  /** How many ids the template adds. @param {Given} given */
  #nSpecial(given) {
    return given.special ? this.#places(given).filter(({ what }) => what === "id").length : 0;
  }

  /** @param {Text} part @param {Given} given */
  #encode(part, { mask, flags }) {
    return this.#open.encode(part, mask, flags);
  }

  /** @param {Text} text @param {Given} given */
  *#encodeParts(text, given) {
    for (const part of this.#partsOf(text, given)) yield this.#encode(part, given);
  }

  /**
   * @param {Text} text
   * @param {Uint32Array} target
   * @param {EncodeOptions} [options]
   * @returns {{ read: number, written: number }}
   */
  encodeInto(text, target, options) {
    requireTarget(target);
    const given = this.#prepare(text, options);
    const total = { read: 0, written: 0 };
    for (const part of this.#partsOf(text, given, sizeFor(target.length))) {
      const { read, written } = this.#open.encodeInto(part, target.subarray(total.written), given.mask, given.flags);
      total.read += read;
      total.written += written;
      if (read < part.length) break;
    }
    return total;
  }

  /**
   * The ids of a long text, some at a time.
   * @param {Text} text
   * @param {IdsOptions} [options]
   * @returns {Generator<Uint32Array | number[], void, undefined>}
   */
  *encodeGenerator(text, options) {
    const given = this.#prepare(text, options, PART_OPTIONS);
    for (const ids of this.#encodeParts(text, given)) yield given.array ? Array.from(ids) : ids;
  }

  /** @param {Text} text @param {OffsetOptions} [options] */
  encodeWithOffsets(text, options) {
    const given = this.#prepare(text, options, OFFSET_OPTIONS);
    if (given.units && !isPlain(given)) throw argumentError("units", true, "left out where there is a pair, or special tokens are added");
    return isPlain(given) ? this.#placed(text, given, this.#trim) : this.#filled(text, given, this.#placed);
  }

  /** @param {Text} text @param {Given} given @param {number} trim */
  #placed = (text, given, trim) => {
    const found = this.#encodeAllWithOffsets(text, given);
    if (trim) trimOffsets(found, text, trim, given.special === true, this.#open, this.#listed.trimmed);
    return found;
  };

  /** @param {Text} text @param {Given} given */
  #encodeAllWithOffsets(text, given) {
    if (text.length <= PART_BYTES) return this.#encodeWithOffsets(text, given);
    const parts = [...this.#encodePartsWithOffsets(text, given)];
    const { unitRoutes, ...columns } = parts[0];
    const names = /** @type {(keyof typeof columns)[]} */ (Object.keys(columns));
    const all = /** @type {typeof columns} */ (
      Object.fromEntries(names.map((name) => [name, joined(parts.map((part) => /** @type {Uint32Array} */ (part[name])))]))
    );
    if (!unitRoutes) return all;
    return { ...all, unitRoutes: Uint16Array.from(parts.flatMap((part) => Array.from(part.unitRoutes ?? []))) };
  }

  /** @param {Text} part @param {Given} given */
  #encodeWithOffsets(part, { mask, flags, units }) {
    return this.#open.encodeWithOffsets(part, mask, flags, units);
  }

  /** With offsets in the whole text. @param {Text} text @param {Given} given */
  *#encodePartsWithOffsets(text, given) {
    let offset = 0;
    for (const part of this.#partsOf(text, given)) {
      const found = this.#encodeWithOffsets(part, given);
      for (const places of [found.starts, found.ends, found.unitStarts ?? NONE, found.unitEnds ?? NONE])
        for (let i = 0; i < places.length; i++) places[i] += offset;
      offset += this.#open.unitsIn(part);
      yield found;
    }
  }

  /** @param {Text} text @param {PairOptions} [options] @returns {number} */
  countTokens(text, options) {
    const given = this.#prepare(text, options, PAIR_OPTIONS);
    return this.#count(text, given, MAX_ID, PART_BYTES);
  }

  /**
   * @param {Text} text
   * @param {number} limit in tokens
   * @param {PairOptions} [options]
   * @returns {number | false} the count (0 for an empty text), or false if there are more than `limit` tokens
   */
  isWithinTokenLimit(text, limit, options) {
    const most = tokensIn(limit, "limit", 0, "; for no limit, call countTokens");
    const given = this.#prepare(text, options, PAIR_OPTIONS);
    return this.#within(text, most, given);
  }

  /** @param {Text} text @param {number} limit @param {Given} given @returns {number | false} */
  #within(text, limit, given) {
    // No token is longer, unless it stands for unknown text, so a text of this length need not be encoded.
    if (given.flags === 0 && this.#isBounded && text.length > limit * this.info.maxTokenBytes && !this.#listed.strips) return false;
    const count = this.#count(text, given, limit, sizeFor(limit));
    return count <= limit && count;
  }

  /**
   * The number of tokens of one text or two, and of the template; a number above `limit` if counting stopped there.
   * @param {Text} text
   * @param {Given} given
   * @param {number} limit
   * @param {number} size of parts
   */
  #count(text, given, limit, size) {
    if (isPlain(given)) return this.#countText(text, given, limit, size);
    let count = this.#nSpecial(given);
    for (const each of given.pair === undefined ? [text] : [text, given.pair]) {
      if (count <= limit) count += this.#countText(each, given, limit - count, size);
    }
    return count;
  }

  /**
   * The same for a single text.
   * @param {Text} text
   * @param {Given} given
   * @param {number} limit
   * @param {number} size of parts
   */
  #countText(text, given, limit, size) {
    const { mask, flags } = given;
    if (text.length <= size) return this.#open.count(text, mask, flags, limit);
    let count = 0;
    for (const part of this.#partsOf(text, given, size)) {
      count += this.#open.count(part, mask, flags, limit - count);
      if (count > limit) break;
    }
    return count;
  }

  /**
   * The ids of a whole text that comes in chunks, some at a time.
   * @param {any} source a ReadableStream, Blob or (async) iterable of strings or bytes
   * @param {EncodeOptions & StreamOptions} [options]
   * @returns {AsyncGenerator<Uint32Array, void, undefined>}
   */
  async *encodeStream(source, options) {
    for await (const { ids } of this.#encodeChunks(source, false, options)) yield ids;
  }

  /**
   * How many there are.
   * @param {any} source
   * @param {EncodeOptions & StreamOptions} [options]
   * @returns {Promise<number>}
   */
  async countStream(source, options) {
    let count = 0;
    for await (const { tokens } of this.#encodeChunks(source, true, options)) count += tokens;
    return count;
  }

  /**
   * The ids of each part, or how many there are.
   * @param {any} source
   * @param {boolean} counts whether only the numbers are wanted
   * @param {EncodeOptions & StreamOptions} [options]
   */
  async *#encodeChunks(source, counts, options = {}) {
    requireOptions(options, STREAM_OPTIONS);
    const { signal, onProgress, fatal = false, ...encoding } = options;
    requireBoolean(fatal, "fatal");
    const given = reusable(encoding);
    const { flags } = this.#prepare("", given);
    // Disallowed tokens are searched for in each part, so none may be cut.
    const mask = allowedMask(this.#listed.numbers, this.#named(given));
    let [bytes, tokens, place] = [0, 0, 0];
    const parts = new Parts((text, more) => {
      signal?.throwIfAborted();
      const found = this.#open.encodePart(text, more, mask, flags, place, counts);
      if (found.read === 0) return found;
      const part = text.subarray(0, found.read);
      if (fatal) requireUtf8(part, bytes);
      void this.#prepare(part, given);
      place = found.place;
      tokens += found.tokens;
      bytes += found.read;
      onProgress?.({ bytes, tokens });
      return found;
    });
    for await (const chunk of itemsOf(source, signal)) yield* parts.add(chunk);
    yield* parts.end();
  }

  /** The special tokens that options name. @param {EncodeOptions} options */
  #named({ allowedSpecial, disallowedSpecial }) {
    const named = [allowedSpecial, disallowedSpecial].flatMap((names) =>
      names === "all" ? [...this.specialTokens.keys()] : [...(names ?? [])],
    );
    return new Set(named);
  }

  /**
   * The beginning of a text, as far as its first `limit` tokens reach.
   * @param {string} text
   * @param {number} limit in tokens
   * @param {TemplateOptions} [options]
   * @returns {string}
   */
  truncate(text, limit, options) {
    requireString(text);
    const given = this.#prepare(text, options, TEMPLATE_OPTIONS);
    const special = this.#nSpecial(given);
    const most = tokensIn(limit, "limit", special) - special;
    const within = (/** @type {string} */ part, /** @type {number} */ n) => this.#within(part, special + n, given);
    if (within(text, most) !== false) return text;
    return longestStart(text, most, this.#boundaries(text, given, most), within);
  }

  /**
   * A text in chunks for retrieval.
   * @param {string} text
   * @param {number} limit in tokens, of each chunk
   * @param {ChunkOptions} [options]
   * @returns {import("./boundaries.js").Chunk[]}
   */
  chunk(text, limit, options = {}) {
    requireString(text);
    requireOptions(options, CHUNK_OPTIONS);
    const { overlap = 0, prefer = "paragraph", ...encoding } = options;
    const given = this.#prepare(text, encoding, TEMPLATE_OPTIONS);
    const special = this.#nSpecial(given);
    const most = tokensIn(limit, "limit", special + 1) - special;
    const aside = special > 0 ? " without the template's tokens" : "";
    const shared = tokensIn(overlap, "overlap", 0);
    if (shared >= most) {
      throw argumentError("overlap", shared, `less than limit, which is ${most}${aside}`);
    }
    if (!KINDS.includes(prefer)) throw argumentError("prefer", prefer, `one of ${KINDS.join(", ")}`);
    const within = (/** @type {string} */ part, /** @type {number} */ n) => this.#within(part, special + n, given);
    return chunks(text, { limit: most, aside }, shared, prefer, this.#boundaries(text, given, MAX_ID), within);
  }

  /**
   * The places between two tokens, and between two syllables, up to the first beyond `most` tokens.
   * @param {string} text
   * @param {Given} given
   * @param {number} most
   * @returns {import("./boundaries.js").Boundaries}
   */
  #boundaries(text, given, most) {
    const [tokens, places] = [[0], [0]];
    let [before, offset] = [0, 0];
    for (const part of this.#partsOf(text, given, sizeFor(most))) {
      const found = this.#encodeWithOffsets(part, { ...given, units: this.#routes.some(({ hasUnits }) => hasUnits) });
      const { ids, starts, ends } = found;
      const isWithinUnit = this.#withinUnit(found);
      ids.forEach((_, i) => {
        // Text between two tokens, such as a mark that was composed, belongs to the first.
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
   * Whether a place is inside a unit; call it with ascending places.
   * @param {ReturnType<Core["encodeWithOffsets"]>} found
   * @returns {(place: number) => boolean}
   */
  #withinUnit({ unitStarts: starts, unitEnds: ends, unitRoutes: routes }) {
    if (!starts || !ends || !routes) return () => false;
    let k = 0;
    return (place) => {
      while (ends[k] <= place) k++;
      return k < ends.length && starts[k] < place && this.#routes[routes[k]].hasUnits;
    };
  }

  /** @param {Iterable<number>} ids @param {DecodeOptions} [options] @returns {Uint8Array<ArrayBuffer>} */
  decodeBytes(ids, options) {
    const skip = this.#skips(options);
    const given = checkedIds(ids);
    return given.length <= PART_IDS ? this.#decode(given, 0, skip).bytes : joined(this.#decodeParts(given, skip));
  }

  /** The core's flag for skipping special tokens. @param {any} options @param {ReadonlySet<string>} [known] */
  #skips(options, known = DECODE_OPTIONS) {
    if (options === undefined) return 0;
    requireOptions(options, known);
    const { skipSpecialTokens = false } = options;
    requireBoolean(skipSpecialTokens, "skipSpecialTokens");
    return skipSpecialTokens ? SKIP_SPECIAL : 0;
  }

  /** @param {Uint32Array} given @param {number} first the index of given[0] among the caller's ids @param {number} flags */
  #decode(given, first, flags) {
    const result = this.#open.decode(given, flags);
    if ("unknown" in result) throw this.#unknown(given[result.unknown], first + result.unknown);
    return result;
  }

  /** @param {number} skip */
  #newDecoding(skip) {
    return new Decoding((ids, index, flags) => this.#decode(ids, index, flags), skip, this.#waits);
  }

  /**
   * The texts of ids, in parts; all ids are checked first.
   * @param {Uint32Array} given
   * @param {number} skip
   * @returns {Generator<Uint8Array<ArrayBuffer>>}
   */
  *#decodeParts(given, skip) {
    let length = 0;
    for (let at = 0; at < given.length; at += PART_IDS) {
      const found = this.#open.decodedLength(given.subarray(at, at + PART_IDS));
      if ("unknown" in found) throw this.#unknown(given[at + found.unknown], at + found.unknown);
      length += found.length;
    }
    if (length > MAX_BYTES) throw decodedTooLong(given.length);
    const decoding = this.#newDecoding(skip);
    for (let at = 0; at < given.length; at += PART_IDS) yield decoding.add(given.subarray(at, at + PART_IDS));
    yield decoding.end();
  }

  /** @param {number} id @param {number} index */
  #unknown(id, index) {
    return new WwhoError(
      "TOKEN",
      `token id ${id} (at index ${index}) is none of ${this.name}'s, whose ids are below ${this.info.nVocab}; ` +
        "was it made by another tokenizer?",
    );
  }

  /** A freed tokenizer has no text, even for no ids. */
  #newDecoder() {
    return this.#open && newDecoder();
  }

  /** @param {Iterable<number>} ids @param {DecodeOptions} [options] @returns {string} broken UTF-8 becomes U+FFFD */
  decode(ids, options) {
    const skip = this.#skips(options);
    const given = checkedIds(ids);
    if (given.length <= PART_IDS) return utf8(this.#decode(given, 0, skip).bytes);
    const decoder = newDecoder();
    let text = "";
    for (const part of this.#decodeParts(given, skip)) {
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
   * The text of ids, token by token: an incomplete character waits for the next token.
   * @param {Iterable<number>} ids
   * @param {DecodeOptions} [options]
   * @returns {Generator<string, void, undefined>}
   */
  *decodeGenerator(ids, options) {
    requireIterable(ids);
    const [decoder, decoding] = [this.#newDecoder(), this.#newDecoding(this.#skips(options))];
    for (const id of ids) {
      const text = decoder.decode(decoding.add(checkedIds([id])), { stream: true });
      if (text) yield text;
    }
    const rest = decoder.decode(decoding.end());
    if (rest) yield rest;
  }

  /**
   * The same for tokens that come from a model, one by one or several at a time.
   * @param {any} source a ReadableStream or (async) iterable of ids, or of iterables of ids
   * @param {DecodeOptions & { signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<string, void, undefined>}
   */
  async *decodeAsyncGenerator(source, options = {}) {
    const [decoder, decoding] = [this.#newDecoder(), this.#newDecoding(this.#skips(options, FEED_OPTIONS))];
    for await (const item of itemsOf(source, options.signal)) {
      const ids = checkedIds(typeof item === "number" ? [item] : item);
      const text = decoder.decode(decoding.add(ids), { stream: true });
      if (text) yield text;
    }
    const rest = decoder.decode(decoding.end());
    if (rest) yield rest;
  }

  /** @param {number} id @returns {Uint8Array<ArrayBuffer>} */
  tokenBytes(id) {
    const [given] = checkedIds([id]);
    const bytes = this.#open.tokenBytes(given);
    if (bytes === null) throw this.#unknown(given, 0);
    if (!isSymbols(bytes)) return bytes;
    const joined = this.decodeBytes([given]);
    const text = utf8(joined);
    return text.includes("\ufffd") && 4 * Array.from(text).length !== bytes.length ? bytes : joined;
  }

  /** @param {Text} text @returns {import("./segments.js").Segment[]} */
  segment(text) {
    text = this.normalize(text);
    return segmentsOf(this.#open, this.#routes, text, this.#partsOf(text, DEFAULTS));
  }

  /** The segments of a text, with every step of the automata that cut them; for SCRIPT, pretokens and symbols. @param {Text} text */
  trace(text) {
    requireText(text);
    const segments = this.segment(text);
    const traced = segments.map((this.#tracer ??= tracerOf(this.#open)));
    return this.provenance.script_indices ? traced.flatMap((segment) => this.#traceScript(this.normalize(text), segment)) : traced;
  }

  /**
   * The pretokens of a segment as a SCRIPT model writes them; a segment of units stays as it is.
   * @param {Text} text
   * @param {ReturnType<ReturnType<typeof tracerOf>>} segment
   */
  #traceScript(text, segment) {
    const { route, start, end } = segment;
    if (this.#routes.find(({ name }) => name === route)?.hasUnits) return [segment];
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const write = (/** @type {Uint8Array} */ each) => Uint8Array.from(Array.from(this.encode(each, { added: false })).flatMap((id) => [...(this.#open.tokenBytes(id) ?? [])]));
    const { spans, starts, ends } = this.#open.spans(text);
    const slice = slicer(text);
    return spans.flatMap((span, i) => {
      if (starts[i] < start || ends[i] > end) return [];
      const units = traceScript(bytes.subarray(span.start, span.end), write, this.provenance);
      return [{ route, text: slice(span, starts[i], ends[i]), start: starts[i], end: ends[i], states: 0, units }];
    });
  }

  /** Release the memory. The tokenizer cannot be used afterwards; freeing it again does nothing. */
  free() {
    if (this.#core !== undefined) void this.#listed; // like the other properties, specialTokens stays
    this.#core = undefined;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }

  toString() {
    return `Tokenizer(${this.name}, ${this.info.nVocab} tokens)`;
  }
}

/** Whether a call has a single text, without a template. @param {Given} given */
const isPlain = ({ pair, special }) => pair === undefined && !special;

/** @param {unknown} value @param {string} option */
function requireBoolean(value, option) {
  if (typeof value !== "boolean") throw argumentError(option, value, "true or false");
}

/** The size of the parts of a text if only this many tokens are needed. @param {number} tokens */
const sizeFor = (tokens) => Math.min(PART_BYTES, Math.max(LEAST_BYTES, BYTES_PER_TOKEN * (tokens + 1)));

/** Parts begin and end with whole characters, unless the text is broken. @param {Uint8Array} part @param {number} before bytes */
function requireUtf8(part, before) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(part);
  } catch (cause) {
    const message = `the text is not UTF-8 between byte ${before} and byte ${before + part.length}; leave fatal out to take it as it is`;
    throw new WwhoError("UTF8", message, { cause });
  }
}
