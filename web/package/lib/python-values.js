// Values as Python has them, for the templates of jinja.js: what they are in JavaScript, when two are equal, and how Python prints them.
//
// Texts, booleans, null (None) and undefined (jinja2's Undefined) are themselves. A number is an int; a float is a Float. A list is an
// Array, a dict a Map with texts as keys, and a function takes ({ listed, named }), its arguments. Every other kind has a class below.

/** @typedef {any} Value one of these kinds */
/** @typedef {{ none: string, yes: string, no: string, quote: (text: string) => string, hasTuples: boolean, comma: string, colon: string, sorted?: boolean, step?: string }} Style how repr() or json.dumps() writes values; `step` is one level of indentation */

/** A float of Python, which prints a fraction even if it is whole. */
export class Float {
  /** @param {number} value the number itself; any JavaScript number, whole ones too */
  constructor(value) {
    this.value = value;
  }
}

/** A tuple of Python. */
export class Tuple extends Array {}
/** A pair of a key and its value, from items() or dictsort: a tuple whose printed form is not offered. */
export class Pair extends Tuple {}
/** The numbers of range(). */
export class Range extends Array {}
/** The keys, values or pairs of a dict: like a list, but without indices. */
export class View extends Array {}

/** An iterator of Python, such as a filter returns: it is true even if it has no items, and it can be run over only once. */
export class Lazy {
  #isUsed = false;
  #items;

  /** @param {Value[]} items what the iterator gives, in order */
  constructor(items) {
    this.#items = items;
  }

  /**
   * Return the items, the first time only.
   * @returns {Value[]}
   * @throws {Error} at the second call: Python's iterator would be empty then
   */
  take() {
    if (this.#isUsed) refuse("to run over an iterator a second time");
    this.#isUsed = true;
    return this.#items;
  }
}

/** What namespace() returns, or the variable `loop`: named fields, which are neither items nor printed. */
export class Fields {
  /**
   * @param {string} kind "namespace" or "loop", for messages; a template can only assign to a namespace
   * @param {Map<string, Value>} fields
   */
  constructor(kind, fields) {
    this.kind = kind;
    this.fields = fields;
  }
}

/** White space of Python's str; and what only one of Python and JavaScript counts as white space. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
export const OTHER_SPACE = /[\x1c-\x1f\x85\ufeff]/;

/**
 * Refuse a template by the name of what it uses.
 * @param {string} what that only Python can do here, or that is an error in Python as well, such as "division by zero"
 * @returns {never}
 * @throws {Error} always; wwho/chat makes a WwhoError with status TEMPLATE of it
 */
export function refuse(what) {
  throw new Error(`${what} is not supported, or an error in Python, too`);
}

/**
 * Return a value of JSON as Python's json.loads would: whole numbers are ints.
 * @param {unknown} given texts, numbers, booleans, null, undefined, arrays, and objects with these
 * @returns {Value}
 * @throws {Error} for a function, a symbol or a bigint
 */
export function fromJson(given) {
  if (typeof given === "number") return Number.isInteger(given) ? given : new Float(given);
  if (Array.isArray(given)) return given.map(fromJson);
  if (typeof given === "object" && given !== null) return new Map(Object.entries(given).map(([key, value]) => [key, fromJson(value)]));
  if (["function", "symbol", "bigint"].includes(typeof given)) refuse(`a variable of type ${typeof given}`);
  return given;
}

/**
 * Tell whether a value is a list, a tuple, a range or a view of a dict.
 * @param {Value} value
 * @returns {value is Value[]}
 */
export const isList = (value) => Array.isArray(value);
/**
 * Tell whether a value counts as a number in Python: an int, a float or a boolean.
 * @param {Value} value
 * @returns {boolean}
 */
export const isNumber = (value) => typeof value === "number" || typeof value === "boolean" || value instanceof Float;
/**
 * Return the JavaScript number of an int, a float or a boolean; of anything else, NaN.
 * @param {Value} value
 * @returns {number}
 */
export const numberOf = (value) => (value instanceof Float ? value.value : isNumber(value) ? Number(value) : NaN);

/**
 * Tell whether Python counts a value as true: what is empty or zero is false, an iterator is true.
 * @param {Value} value
 * @returns {boolean}
 */
export function isTrue(value) {
  if (value instanceof Float) return value.value !== 0;
  if (isList(value)) return value.length > 0;
  return value instanceof Map ? value.size > 0 : Boolean(value);
}

/**
 * Return the name that Python has for a value's type, for messages.
 * @param {Value} value
 * @returns {string} such as "list", "int" or "None"; "an iterator" and "a view of a dict" for what has a longer name there, the kind of Fields,
 *   and JavaScript's name for anything else
 */
export function typeName(value) {
  if (value === null) return "None";
  if (value instanceof Float) return "float";
  if (value instanceof Map) return "dict";
  if (value instanceof Fields) return value.kind;
  if (value instanceof Lazy) return "an iterator";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Range) return "range";
  if (value instanceof View) return "a view of a dict";
  if (isList(value)) return "list";
  return { string: "str", number: "int", boolean: "bool" }[/** @type {string} */ (typeof value)] ?? typeof value;
}

/**
 * Tell whether Python's == holds between two values. Numbers are equal across types, and true equals 1; a list never
 * equals a tuple; an iterator, a function or a namespace equals only itself.
 * @param {Value} a
 * @param {Value} b
 * @returns {boolean}
 */
export function isEqual(a, b) {
  if (isNumber(a) && isNumber(b)) return numberOf(a) === numberOf(b);
  if (isList(a) && isList(b)) {
    return typeName(a) === typeName(b) && a.length === b.length && a.every((each, i) => isEqual(each, b[i]));
  }
  if (a instanceof Map && b instanceof Map) return a.size === b.size && [...a].every(([key, each]) => b.has(key) && isEqual(each, b.get(key)));
  return a === b;
}

/**
 * Compare two numbers, or two texts by their code points, as Python's < does.
 * @param {Value} a
 * @param {Value} b
 * @returns {number} below 0, 0 or above 0
 * @throws {Error} for values of other types, or of two
 */
export function compare(a, b) {
  if (isNumber(a) && isNumber(b)) return numberOf(a) - numberOf(b);
  if (typeof a !== "string" || typeof b !== "string") refuse(`an order of ${typeName(a)} and ${typeName(b)}`);
  const [first, second] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const difference = /** @type {number} */ (first[i].codePointAt(0)) - /** @type {number} */ (second[i].codePointAt(0));
    if (difference !== 0) return difference;
  }
  return first.length - second.length;
}

/**
 * Return the items that a Python loop over a value gives: characters of a text, keys of a dict, nothing of an undefined value.
 * @param {Value} value an iterator is used up
 * @returns {Value[]} which the caller must not change
 * @throws {Error} for a value without items, such as a number or None
 */
export function itemsOf(value) {
  if (isList(value)) return value;
  if (typeof value === "string") return Array.from(value);
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof Lazy) return value.take();
  return value === undefined ? [] : refuse(`to loop over ${typeName(value)}`);
}

/**
 * Return a text without white space, or given characters, at its ends.
 * @param {string} text
 * @param {string} method "strip" or "trim" for both ends, "lstrip" for the start, "rstrip" for the end
 * @param {string | null} [characters] to take away; null or undefined: Python's white space
 * @returns {string}
 */
export function strip(text, method, characters) {
  const all = Array.from(text);
  const given = typeof characters === "string" ? new Set(characters) : undefined;
  const goes = (/** @type {string} */ each) => (given ? given.has(each) : SPACE.test(each));
  let [start, end] = [0, all.length];
  if (method !== "rstrip") while (start < end && goes(all[start])) start++;
  if (method !== "lstrip") while (end > start && goes(all[end - 1])) end--;
  return all.slice(start, end).join("");
}

/**
 * Return a text of ASCII in small letters, with capitals where words begin.
 * @param {string} text
 * @param {RegExp} beginnings matches the letters that become capitals, after all have become small
 * @returns {string}
 * @throws {Error} for a text beyond ASCII, where Python has title case of its own
 */
export function capitalize(text, beginnings) {
  if (/[^\0-\x7f]/.test(text)) refuse("capital letters beyond ASCII");
  return text.toLowerCase().replace(beginnings, (letter) => letter.toUpperCase());
}

/**
 * Return a value as Python's str() writes it; an undefined value is the empty text.
 * @param {Value} value
 * @returns {string}
 * @throws {Error} for an iterator, a function, and everything whose printed form is Python's own
 */
export function str(value) {
  if (value === undefined) return "";
  return typeof value === "string" ? value : write(value, REPR);
}

/** repr() of Python. @type {Style} */
const REPR = { none: "None", yes: "True", no: "False", quote, hasTuples: true, comma: ", ", colon: ": " };

/**
 * Return a value as JSON, with the options of transformers' tojson, which writes json.dumps(ensure_ascii=False).
 * @param {Value} value
 * @param {Record<string, Value>} options ensure_ascii, indent, separators, sort_keys, by their names
 * @returns {string}
 * @throws {Error} for another option, or a value that JSON does not have
 */
export function toJson(value, { ensure_ascii, indent, separators, sort_keys, ...others }) {
  for (const name in others) refuse(`tojson with ${name}`);
  const escape = (/** @type {string} */ text) => text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const asText = isTrue(ensure_ascii) ? (/** @type {string} */ text) => escape(JSON.stringify(text)) : JSON.stringify;
  const step = typeof indent === "number" ? " ".repeat(indent) : (indent ?? undefined);
  const [comma, colon] = separators ? Array.from(separators, str) : [step === undefined ? ", " : ",", ": "];
  return write(value, { none: "null", yes: "true", no: "false", quote: asText, hasTuples: false, comma, colon, sorted: isTrue(sort_keys), step });
}

/**
 * Return a value as repr() or json.dumps() writes it; keys of a dict stay in order, unless the style sorts them.
 * @param {Value} value
 * @param {Style} style
 * @param {string} [margin] the line break and the indentation before the closing bracket
 * @returns {string}
 * @throws {Error} for a value that the style cannot write, and for an int of 2 ** 53 or more, whose digits are not known
 */
function write(value, style, margin = "\n") {
  const inner = margin + style.step;
  const enclose = (/** @type {string} */ open, /** @type {string[]} */ parts, /** @type {string} */ close) =>
    style.step === undefined || parts.length === 0
      ? open + parts.join(style.comma) + close
      : open + inner + parts.join(style.comma + inner) + margin + close;
  const writeItem = (/** @type {Value} */ item) => write(item, style, inner);
  if (value === null) return style.none;
  if (typeof value === "string") return style.quote(value);
  if (typeof value === "boolean") return value ? style.yes : style.no;
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : refuse("to print a number over 2 ** 53");
  if (value instanceof Float && Number.isFinite(value.value)) return writeFloat(value.value);
  if (value?.constructor === Tuple && style.hasTuples) return enclose("(", Array.from(value, writeItem), value.length === 1 ? ",)" : ")");
  if (value?.constructor === Tuple || value?.constructor === Array) return enclose("[", Array.from(value, writeItem), "]");
  if (!(value instanceof Map)) return refuse(`to print ${typeName(value)}`);
  const keys = style.sorted ? [...value.keys()].sort(compare) : [...value.keys()];
  return enclose("{", keys.map((key) => style.quote(key) + style.colon + writeItem(value.get(key))), "}");
}

/**
 * Return a finite number as Python writes a float: with a fraction, or an exponent from 1e16 and below 1e-4.
 * @param {number} value
 * @returns {string}
 */
function writeFloat(value) {
  const [digits, exponent] = value.toExponential().split("e");
  const size = Math.abs(Number(exponent));
  if (Number(exponent) < -4 || Number(exponent) >= 16) return `${digits}e${exponent[0]}${String(size).padStart(2, "0")}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** Characters that repr() escapes with a letter. @type {Readonly<Record<string, string>>} */
const ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/**
 * Return a text in quotes as repr() writes it: with escapes for what Python does not print.
 * @param {string} text
 * @returns {string} in double quotes if the text has single ones, but no double ones
 */
function quote(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\'\p{C}\p{Z}]/gu, (each) => {
    if (each === " " || (each === "'" && mark === '"')) return each;
    if (each === "'") return "\\'";
    const hex = /** @type {number} */ (each.codePointAt(0)).toString(16);
    const [letter, digits] = hex.length > 4 ? ["U", 8] : hex.length > 2 ? ["u", 4] : ["x", 2];
    return ESCAPES[each] ?? `\\${letter}${hex.padStart(digits, "0")}`;
  });
  return mark + escaped + mark;
}
