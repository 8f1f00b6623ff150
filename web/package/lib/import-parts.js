// The parts of a tokenizer.json around its vocabulary, for wwho/import: which pretokenizer it has, its added tokens, what a
// post-processor puts around texts. Every part and option that is not known here is refused.

import { ByteWriter } from "./artifact-bytes.js";
import { Refusal } from "./import-json.js";
import { MAX_TOKEN_BYTES } from "./import-vocabulary.js";
import { bytesOfStandIns } from "./stand-ins.js";

/** @typedef {import("./import-vocabulary.js").Vocabulary} Vocabulary */
/** @typedef {Record<string, any>} Component an object of the document */

/** The flags of added tokens, by the names of their options. */
const FLAGS = Object.entries({ special: 1, lstrip: 2, rstrip: 4, single_word: 8, normalized: 16 });
const SPECIAL = 1;
/** Flags for which an artifact tells white space and words. */
export const MARKED = 2 | 4 | 8;
/** Flags for which a token takes white space. */
export const TAKES_SPACE = 2 | 4;
const NORMALIZED = 16;
const HIDDEN = 32;

/** @param {unknown} isSo @param {string} reason @returns {asserts isSo} @throws {Refusal} unless something is so */
export function must(isSo, reason) {
  if (!isSo) throw new Refusal(reason);
}

/**
 * Return an object if it has keys of a list alone.
 * @param {any} value
 * @param {string} keys with a space between two
 * @returns {Component}
 * @throws {Refusal}
 */
export function objectOf(value, keys) {
  must(isObject(value), "a component is no object");
  const other = Object.keys(value).find((key) => !keys.split(" ").includes(key));
  must(other === undefined, `the option ${other} of a component is not known here`);
  return value;
}

/** @param {any} value @returns {value is Component} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Return a member that is true or false.
 * @param {Component} value
 * @param {string} key of the member
 * @param {boolean} [usual] what counts if it is not there; undefined: it must be
 * @returns {boolean}
 * @throws {Refusal} if it is anything else
 */
function flagOf(value, key, usual) {
  const found = key in value ? value[key] : usual;
  must(typeof found === "boolean", `${key} is not true or false`);
  return found;
}

/**
 * Return the components that one consists of: itself, none for null or undefined, or those of a Sequence, whatever its depth, in order.
 * @param {any} value a component, which may be of another type; that is for the caller to check
 * @param {string} list the option of a Sequence that has them
 * @returns {Component[]}
 * @throws {Refusal} if a Sequence has other options, or no list
 */
function partsOf(value, list) {
  if (value === null || value === undefined) return [];
  if (!isObject(value) || value.type !== "Sequence") return [value];
  const parts = objectOf(value, `type ${list}`)[list];
  must(Array.isArray(parts), "a Sequence has no list");
  return parts.flatMap((part) => partsOf(part, list));
}

/**
 * Return the text by which the table of shipped-patterns.js knows a pretokenizer: the JSON of a list of its parts, each a list of its type
 * and its options. A key may be in no table.
 * @param {any} value the pretokenizer of the document
 * @returns {string}
 * @throws {Refusal} if it has other parts than Split by a pattern, Digits and ByteLevel
 */
export function pretokenizerKey(value) {
  return JSON.stringify(partsOf(value, "pretokenizers").map((part) => {
    switch (part?.type) {
      case "Split": {
        const { pattern, behavior } = objectOf(part, "type pattern behavior invert");
        must(typeof objectOf(pattern, "Regex").Regex === "string", "the pattern of a Split is no text");
        return ["Split", pattern.Regex, behavior, flagOf(part, "invert")];
      }
      case "Digits":
        return ["Digits", flagOf(objectOf(part, "type individual_digits"), "individual_digits")];
      case "ByteLevel":
        flagOf(objectOf(part, "type add_prefix_space trim_offsets use_regex"), "trim_offsets");
        return ["ByteLevel", flagOf(part, "add_prefix_space"), flagOf(part, "use_regex", true)];
      default:
        throw new Refusal("its pretokenizer is not byte-level, or not known here");
    }
  }));
}

/**
 * Return the type of a normalizer without options, which is to be a normal form; "" for none. Whether it is one is for the caller to see.
 * @param {any} value the normalizer of the document
 * @returns {string}
 * @throws {Refusal} if there are several, or one has options
 */
export function normalForm(value) {
  const forms = partsOf(value, "normalizers").map((part) => {
    const { type } = objectOf(part, "type");
    must(typeof type === "string", "a normalizer has no type");
    return type;
  });
  must(forms.length < 2, "there are several normalizers");
  return forms[0] ?? "";
}

/** @param {any} value a decoder @throws {Refusal} if it is not ByteLevel's alone */
export function requireByteLevel(value) {
  const parts = partsOf(value, "decoders");
  must(parts.length === 1 && parts[0]?.type === "ByteLevel", "its decoder is not ByteLevel alone");
  objectOf(parts[0], "type add_prefix_space trim_offsets use_regex");
}

/**
 * An added token: its bytes, its id and its flags.
 * @typedef {{ text: string, bytes: Uint8Array, id: number, flags: number }} Added
 */

/**
 * The added tokens of a document, and what a vocabulary says of them. `tokenizers` gives a token that the model has the model's id, and
 * the others the next ones.
 */
export class AddedTokens {
  /** @type {Map<string, Added>} */
  #byText = new Map();
  /** The flags of all tokens together. */
  flags = 0;
  /** How many have another id than the document says. */
  moved = 0;

  /**
   * Read the list.
   * @param {any} list
   * @param {Vocabulary} vocabulary
   * @param {boolean} isNormalized whether there is a normalizer
   * @throws {Refusal} if a token is malformed, or would decode to another text
   */
  constructor(list, vocabulary, isNormalized) {
    must(list === null || list === undefined || Array.isArray(list), "its added tokens are no list");
    const encoder = new TextEncoder();
    let next = vocabulary.size + vocabulary.others.size;
    const owners = new Set();
    for (const item of list ?? []) {
      must(isObject(item) && typeof item.content === "string" && Number.isInteger(item.id), "an added token has no text or id");
      const { content: text } = item;
      let flags = 0;
      for (const [option, flag] of FLAGS) if (flagOf(item, option)) flags |= flag;
      const bytes = encoder.encode(text);
      must(bytes.length <= MAX_TOKEN_BYTES, "an added token is long");
      if (text === "" || this.#byText.has(text)) continue;
      const isAscii = bytes.length === text.length;
      must(isAscii || !(isNormalized && flags & NORMALIZED), "an added token is to be normalized");
      const spelled = bytesOfStandIns(text);
      must(isAscii || !spelled, "an added token has letters that stand for bytes");
      const token = spelled ? vocabulary.tokenOf(spelled) : -1;
      let id = token < 0 ? vocabulary.others.get(text) : vocabulary.ids[token];
      if (id === undefined) {
        id = next++;
        must(!vocabulary.taken[id], "an added token gets the id of another token");
      }
      must(!owners.has(id), "two added tokens have one id");
      owners.add(id);
      if (id !== item.id) this.moved++;
      this.flags |= flags;
      this.#byText.set(text, { text, bytes, id, flags });
    }
  }

  /** Return whether a text is one of them. @param {string} text @param {boolean} [special] whether only special ones count */
  has(text, special = false) {
    const found = this.#byText.get(text);
    return found !== undefined && (!special || (found.flags & SPECIAL) !== 0);
  }

  /**
   * Add tokens that only decode, where there are none of their texts.
   * @param {Iterable<[text: string, id: number]>} tokens
   */
  hide(tokens) {
    const encoder = new TextEncoder();
    for (const [text, id] of tokens) {
      if (!this.#byText.has(text)) this.#byText.set(text, { text, bytes: encoder.encode(text), id, flags: HIDDEN });
    }
  }

  /** @returns {Added[]} all of them, by their ids */
  list() {
    return [...this.#byText.values()].sort((a, b) => a.id - b.id);
  }

  /**
   * Return the section ADDED: how many tokens there are, their flags, texts and ids, and the properties.
   * @param {Uint8Array} properties of the classes of characters; empty if no flag needs them
   * @returns {Uint8Array}
   */
  section(properties) {
    const out = new ByteWriter();
    const tokens = this.list();
    out.u32(tokens.length);
    out.u8(...tokens.map(({ flags }) => flags));
    for (const { bytes } of tokens) out.listed(bytes);
    out.lebs(tokens.map(({ id }, i) => id - (tokens[i - 1]?.id ?? 0)));
    out.put(properties);
    return out.bytes;
  }
}

// The post-processor

/** A place of a template: an id (0), the first text (1) or the second (2); its type; the id, or the text's trim. */
/** @typedef {readonly [what: number, type: number, id: number]} Place */
/** @typedef {Place[][]} Parts the places of each part, of one text or of two */

/** Of a trim: tokens stand for bytes. */
const OF_BYTES = 16;

/**
 * Return the section TEMPLATE; undefined if a post-processor puts nothing around texts, trims no offsets, and says so by ByteLevel alone.
 * @param {any} value the post-processor of the document
 * @param {(id: number) => boolean} isId whether a token has an id
 * @returns {Uint8Array | undefined}
 * @throws {Refusal} if it is not known, or does what no artifact can
 */
export function writeTemplate(value, isId) {
  const processors = partsOf(value, "processors");
  /** @type {Parts[]} */
  let forms = [[[[1, 0, 0]]], [[[1, 0, 0]], [[2, 1, 0]]]];
  for (const processor of processors) {
    const process = processOf(processor, isId);
    forms = forms.map(process);
  }
  const [single, pair] = forms.map((parts) => parts.flat());
  must(textsOf(single) === "1" && ["12", "21"].includes(textsOf(pair)), "a text is not once in its template");
  const isUsual = String([single, pair]) === "1,0,0,1,0,0,2,1,0";
  if (isUsual && processors.every(({ type }) => type === "ByteLevel")) return undefined;
  const out = new ByteWriter();
  out.u16(single.length, pair.length);
  for (const [what, type, id] of [...single, ...pair]) {
    out.u8(what, type, 0, 0);
    out.u32(what && id ? id | OF_BYTES : id);
  }
  return out.bytes;
}

/** Return the texts among places, as digits. @param {readonly Place[]} places */
const textsOf = (places) => places.map(([what]) => what || "").join("");

/**
 * Return the function that makes of the parts that the post-processor before leaves those of this one; it changes no parts in place.
 * @param {Component} value the post-processor
 * @param {(id: number) => boolean} isId whether a token has an id
 * @returns {(parts: Parts) => Parts}
 * @throws {Refusal} if it is not known, or names no token; the function, if three of them trim
 */
function processOf(value, isId) {
  const around = "type sep cls trim_offsets add_prefix_space";
  switch (value?.type) {
    case "ByteLevel":
      objectOf(value, "type add_prefix_space trim_offsets use_regex");
      return (parts) => trimMore(value, parts);
    case "BertProcessing": {
      const [sep, cls] = [tokenOf(objectOf(value, around).sep, isId), tokenOf(value.cls, isId)];
      return (parts) => parts.map((part, i) => (i ? [...part, [0, 1, sep]] : [[0, 0, cls], ...part, [0, 0, sep]]));
    }
    case "RobertaProcessing": {
      const [sep, cls] = [tokenOf(objectOf(value, around).sep, isId), tokenOf(value.cls, isId)];
      return (parts) =>
        trimMore(value, parts).map((part, i) => [[0, 0, i ? sep : cls], ...part.map(([what, , id]) => /** @type {Place} */ ([what, 0, id])), [0, 0, sep]]);
    }
    case "TemplateProcessing":
      return templateOf(objectOf(value, "type single pair special_tokens trim_offsets add_prefix_space use_regex"), isId);
    default:
      throw new Refusal("its post-processor is not known here");
  }
}

/**
 * Return parts with one more move in the trim of each text (FORMAT.md, TEMPLATE); the parts themselves if the options trim nothing.
 * @param {Component} value whose options trim_offsets and add_prefix_space say how
 * @param {Parts} parts which do not change
 * @returns {Parts}
 * @throws {Refusal} if a text has two moves already, or an option is not true or false
 */
function trimMore(value, parts) {
  const [trims, keeps] = [flagOf(value, "trim_offsets"), flagOf(value, "add_prefix_space")];
  if (!trims) return parts;
  return parts.map((part) =>
    part.map(([what, type, id], i) => {
      if (!what) return [what, type, id];
      must(id < 4, "three post-processors trim");
      const move = keeps ? (i ? 3 : 2) : 1;
      return [what, type, id | (move << (id ? 2 : 0))];
    }),
  );
}

/**
 * Return the id of a token that an option names by its text and id; the text is not compared.
 * @param {any} pair the value of the option
 * @param {(id: number) => boolean} isId whether a token has an id
 * @returns {number}
 * @throws {Refusal} if it is no such pair
 */
function tokenOf(pair, isId) {
  must(Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string" && isId(pair[1]), "a post-processor names no token");
  return pair[1];
}

/**
 * Return the function that puts one part, or two, into the template of a TemplateProcessing, and returns the whole as one part. The places
 * of a part get the type of the item that it stands for.
 * @param {Component} value the TemplateProcessing
 * @param {(id: number) => boolean} isId whether a token has an id
 * @returns {(parts: Parts) => Parts}
 * @throws {Refusal} if it is malformed; the function, for three parts or more, or a second text in the template of one
 */
function templateOf(value, isId) {
  must(isObject(value.special_tokens), "a template has no special tokens");
  const forms = [value.single, value.pair].map((items) => {
    must(Array.isArray(items), "a template is no list");
    return items.flatMap((item) => placesOf(item, value.special_tokens, isId));
  });
  return (parts) => {
    must(parts.length < 3, "a template gets more than two texts");
    return [
      forms[parts.length - 1].flatMap(([what, type, id]) => {
        must(what <= parts.length, "a template of one text has a second");
        return what ? parts[what - 1].map((place) => /** @type {Place} */ ([place[0], type, place[2]])) : [/** @type {Place} */ ([what, type, id])];
      }),
    ];
  };
}

/**
 * Return the places of an item of a template: that of a text, A or B, or one for each id of a special token.
 * @param {any} item of the template
 * @param {Component} names the special tokens of the template, by their names
 * @param {(id: number) => boolean} isId whether a token has an id
 * @returns {Place[]}
 * @throws {Refusal} if it is malformed, or an id is that of no token
 */
function placesOf(item, names, isId) {
  must(isObject(item) && Object.keys(item).length === 1, "an item of a template is not known");
  const { id, type_id: type } = objectOf(item.Sequence ?? item.SpecialToken, "id type_id");
  must(Number.isInteger(type) && type >= 0 && type < 256, "a type of ids is out of range");
  if (item.Sequence) {
    must(id === "A" || id === "B", "an item of a template is no text");
    return [[id === "A" ? 1 : 2, type, 0]];
  }
  must(isObject(names[id]) && Array.isArray(names[id].ids), "a template names no special token");
  return names[id].ids.map((/** @type {any} */ number) => {
    must(isId(number), "a template names no token");
    return [0, type, number];
  });
}
