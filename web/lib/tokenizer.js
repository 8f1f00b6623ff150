// The tokenizer as its users see it. Loading is the entries' part (index.js, node.js); memory is core.js's.

import { readProvenance, readRoutes } from "./artifact.js";
import { Core } from "./core.js";
import { WwhoError, named } from "./errors.js";
import { allowedMask, nameSet, refuseDisallowed } from "./special.js";

/** @typedef {import("./core.js").Text} Text */
/** @typedef {import("./special.js").Names} Names */
/** @typedef {{ allowedSpecial?: Names, disallowedSpecial?: Names, unk?: "spell" | "token" }} EncodeOptions */

const UNK_TOKEN = 1;
/** What the core is told where no options are given. */
const DEFAULTS = Object.freeze({ mask: null, flags: 0 });
const MAX_ID = 0xffffffff;
const RULES = /** @type {const} */ (["syllable", "orphan", "passthrough"]);

/** @param {Uint8Array<ArrayBufferLike>} bytes */
const utf8 = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** A tokenizer over one artifact. Immutable; options go with each call. */
export class BaseTokenizer {
  /** @type {Core | undefined} */
  #core;
  /** @type {readonly { name: string, sgpe: boolean }[]} */
  #routes;
  /** @type {readonly string[]} */
  #specials;

  /**
   * @param {WebAssembly.Module} module the compiled core
   * @param {Uint8Array} blob a whole .wwho file
   * @throws {WwhoError} with the status of the rule that the file breaks
   */
  constructor(module, blob) {
    const core = new Core(module, blob);
    this.#core = core;
    this.#routes = readRoutes(blob);
    /** Where the model came from: texts under keys. @readonly */
    this.provenance = Object.freeze(readProvenance(blob));
    /** The encoding's name. @readonly */
    this.name = this.provenance.name ?? "unnamed";
    /** @readonly */
    this.info = describe(core, this.#routes);
    const specials = Array.from({ length: this.info.nSpecials }, (_, i) => core.special(i));
    /** Text of each special token and its id. @type {ReadonlyMap<string, number>} @readonly */
    this.specialTokens = new Map(specials.map(({ id, bytes }) => [utf8(bytes), id]));
    this.#specials = [...this.specialTokens.keys()];
  }

  get #open() {
    if (this.#core === undefined) {
      throw new WwhoError("FREED", `the tokenizer ${this.name} was freed; load it again`);
    }
    return this.#core;
  }

  /**
   * The core, and what it needs to know of a call besides the text.
   * @param {Text} text
   * @param {EncodeOptions | undefined} options
   * @returns {{ core: Core, mask: Uint8Array | null, flags: number }}
   */
  #prepare(text, options) {
    const core = this.#open;
    requireText(text);
    // Most calls leave the options out, and should not pay for them.
    const { mask, flags } = options === undefined ? DEFAULTS : this.#readOptions(text, options);
    return { core, mask, flags };
  }

  /**
   * What options mean to the core, after the check for disallowed tokens.
   * @param {Text} text
   * @param {EncodeOptions} options
   * @returns {{ mask: Uint8Array | null, flags: number }}
   */
  #readOptions(text, options) {
    requireOptions(options);
    const { allowedSpecial, disallowedSpecial, unk = "spell" } = options;
    if (unk !== "spell" && unk !== "token") {
      throw new WwhoError("ARGUMENT", `unk is ${named(unk)}; expected "spell" or "token"`);
    }
    if (unk === "token" && this.info.unkId === null) {
      throw new WwhoError("ARGUMENT", `unk is "token", but ${this.name} has no such token; leave it out`);
    }
    const disallowed = nameSet(disallowedSpecial, "disallowedSpecial");
    const allowed = nameSet(allowedSpecial, "allowedSpecial");
    refuseDisallowed(text, this.#specials, allowed, disallowed);
    return { mask: allowedMask(this.#specials, allowed), flags: unk === "token" ? UNK_TOKEN : 0 };
  }

  /** @param {Text} text @param {EncodeOptions} [options] */
  encode(text, options) {
    const { core, mask, flags } = this.#prepare(text, options);
    return core.encode(text, mask, flags);
  }

  /** @param {Text} text @param {EncodeOptions} [options] */
  encodeWithOffsets(text, options) {
    const { core, mask, flags } = this.#prepare(text, options);
    return core.encodeWithOffsets(text, mask, flags);
  }

  /** @param {Text} text @param {EncodeOptions} [options] @returns {number} */
  countTokens(text, options) {
    const { core, mask, flags } = this.#prepare(text, options);
    return core.count(text, mask, flags, MAX_ID);
  }

  /**
   * @param {Text} text
   * @param {number} limit in tokens
   * @param {EncodeOptions} [options]
   * @returns {number | false} the count (0 for an empty text), or false where there are more than `limit` tokens
   */
  isWithinTokenLimit(text, limit, options) {
    if (typeof limit !== "number" || !(limit >= 0)) {
      throw new WwhoError(
        "ARGUMENT",
        `limit is ${named(limit)}; expected a number of tokens, 0 or more; for no limit, call countTokens`,
      );
    }
    const most = Math.min(Math.floor(limit), MAX_ID);
    const { core, mask, flags } = this.#prepare(text, options);
    const count = core.count(text, mask, flags, most);
    return count <= most && count;
  }

  /** @param {Iterable<number>} ids @returns {Uint8Array<ArrayBuffer>} */
  decodeBytes(ids) {
    const core = this.#open;
    const given = checkedIds(ids);
    const result = core.decode(given);
    if ("unknown" in result) {
      throw new WwhoError(
        "TOKEN",
        `token id ${given[result.unknown]} (at index ${result.unknown}) is none of ${this.name}'s, whose ids are ` +
          `below ${this.info.nVocab}; was it made by another tokenizer?`,
      );
    }
    return result.bytes;
  }

  /** @param {Iterable<number>} ids @returns {string} broken UTF-8 becomes U+FFFD */
  decode(ids) {
    return utf8(this.decodeBytes(ids));
  }

  /** @param {number} id @returns {Uint8Array<ArrayBuffer>} */
  tokenBytes(id) {
    return this.decodeBytes([id]);
  }

  /** @param {Text} text */
  segment(text) {
    requireText(text);
    const { spans, ends } = this.#open.spans(text);
    const slice = slicer(text);
    /** @type {{ route: string, text: string, start: number, end: number, units: string[], rules: string[] }[]} */
    const segments = [];
    spans.forEach((span, i) => {
      const start = i === 0 ? 0 : ends[i - 1];
      const { name, sgpe } = this.#routes[span.route];
      if (span.first) {
        segments.push({ route: name, text: "", start, end: start, units: [], rules: [] });
      }
      const segment = segments[segments.length - 1];
      const piece = slice(span, start, ends[i]);
      segment.text += piece;
      segment.end = ends[i];
      if (sgpe) {
        segment.units.push(piece);
        segment.rules.push(RULES[span.rule]);
      }
    });
    return segments;
  }

  /** Give the memory back. The tokenizer is of no use afterwards; freeing it again does nothing. */
  free() {
    this.#core = undefined;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.free();
  }

  toString() {
    return `Tokenizer(${this.name}, ${this.info.nVocab} tokens)`;
  }
}

/**
 * @param {Core} core
 * @param {readonly { name: string, sgpe: boolean }[]} routes
 */
function describe(core, routes) {
  const numbers = core.info();
  const number = (/** @type {number} */ i) => /** @type {number} */ (numbers[i]);
  return Object.freeze({
    nVocab: number(0),
    nBase: number(1),
    nBaseTokens: number(2),
    firstAtom: number(3),
    nAtoms: number(4),
    nMerges: number(5),
    spaceId: numbers[6],
    unkId: numbers[7],
    nSpecials: number(8),
    maxTokenBytes: number(10),
    routes: Object.freeze(routes.map(({ name, sgpe }) => Object.freeze({ name, sgpe }))),
  });
}

/** @param {unknown} text */
function requireText(text) {
  if (typeof text !== "string" && !(text instanceof Uint8Array)) {
    throw new WwhoError(
      "ARGUMENT",
      `text is ${named(text)}; expected a string or a Uint8Array of UTF-8`,
    );
  }
}

/** Only what was left out is default: a null is refused, as it is for each option. @param {unknown} options */
function requireOptions(options) {
  if (typeof options !== "object" || options === null) {
    throw new WwhoError(
      "ARGUMENT",
      `options is ${named(options)}; expected an object such as { allowedSpecial: "all" }; leave it out for none`,
    );
  }
}

/**
 * Cuts parts out of a text, the same for a string and for bytes.
 * @param {Text} text
 * @returns {(span: { start: number, end: number }, start: number, end: number) => string}
 */
function slicer(text) {
  if (typeof text === "string") {
    const clean = utf8(new TextEncoder().encode(text));
    return (_span, start, end) => clean.slice(start, end);
  }
  return (span) => utf8(text.subarray(span.start, span.end));
}

/**
 * A Uint32Array would wrap -1 and cut 1.5 without a word, so ids are looked at first.
 * @param {Iterable<number>} ids
 */
function checkedIds(ids) {
  if (ids instanceof Uint32Array) {
    return ids;
  }
  if (typeof ids !== "object" || typeof ids?.[Symbol.iterator] !== "function") {
    throw new WwhoError(
      "ARGUMENT",
      `ids is ${named(ids)}; expected a Uint32Array or another iterable of token ids; for one id, give [id]`,
    );
  }
  return Uint32Array.from(ids, (id) => {
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw new WwhoError("TOKEN", `token id ${named(id)} is none; expected an integer from 0 on`);
    }
    return id;
  });
}
