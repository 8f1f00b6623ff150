// Runs Jinja templates as transformers does, with Python's values and Python's text of them, or refuses by name what it cannot.
//
// @huggingface/jinja cuts a template into tokens (its `tokenize`), and no more is used of it: its own run prints JavaScript's text of
// values, and its tree and its interpreter are not for others. jinja-parser.js reads the tokens, python-values.js has the values.

import { tokenize } from "@huggingface/jinja";

import { parseTemplate } from "./jinja-parser.js";
import {
  Fields,
  Float,
  Lazy,
  OTHER_SPACE,
  Pair,
  Range,
  Tuple,
  View,
  capitalize,
  compare,
  fromJson,
  isEqual,
  isList,
  isNumber,
  isTrue,
  itemsOf,
  numberOf,
  refuse,
  str,
  strip,
  toJson,
  typeName,
} from "./python-values.js";

/** @typedef {import("./python-values.js").Value} Value */
/** @typedef {import("./jinja-parser.js").Expression} Expression */
/** @typedef {import("./jinja-parser.js").Statement} Statement */
/** @typedef {{ listed: Value[], named: Record<string, Value> }} Given the arguments of a call: by position, and by name */
/** @typedef {(given: Given) => Value} Callable */
/** @typedef {"break" | "continue" | undefined} Signal what ended a body early, if anything did */

/** White space beside a tag that takes it away, but that only one of Python and JavaScript counts as such. */
const ODD_TRIM = /[\x1c-\x1f\x85\ufeff]\s*\{[{%#]-|-[}%#]\}\s*[\x1c-\x1f\x85\ufeff]/;
/** Where Python ends lines besides "\n". */
const OTHER_LINES = /[\v\f\r\x1c-\x1e\x85\u2028\u2029]/;
/** The most numbers of a range() in jinja2's sandbox. */
const MOST_IN_RANGE = 100_000;

/** Attributes that Python's values have, and templates here do not; others are undefined, as in jinja2. @type {Readonly<Record<string, RegExp>>} */
const PYTHON_ATTRIBUTES = {
  str: /^(casefold|center|count|encode|expandtabs|find|format|format_map|index|is[a-z]+|join|ljust|maketrans|partition|remove(prefix|suffix)|rfind|rindex|rjust|rpartition|rsplit|splitlines|swapcase|translate|zfill)$/,
  dict: /^(clear|copy|fromkeys|pop|popitem|setdefault|update)$/,
  list: /^(append|clear|copy|count|extend|index|insert|pop|remove|reverse|sort)$/,
  tuple: /^(count|index)$/,
  range: /^(count|index|start|step|stop)$/,
  int: /^(as_integer_ratio|bit_count|bit_length|conjugate|denominator|from_bytes|imag|is_integer|numerator|real|to_bytes)$/,
  float: /^(as_integer_ratio|conjugate|fromhex|hex|imag|is_integer|real)$/,
  loop: /^(changed|cycle|depth|depth0)$/,
};

/** What strftime_now writes for a letter after "%". @type {Readonly<Record<string, (now: Date) => string>>} */
const DATE_PARTS = {
  Y: (now) => String(now.getFullYear()),
  m: (now) => twoDigits(now.getMonth() + 1),
  d: (now) => twoDigits(now.getDate()),
  H: (now) => twoDigits(now.getHours()),
  M: (now) => twoDigits(now.getMinutes()),
  S: (now) => twoDigits(now.getSeconds()),
  b: (now) => now.toLocaleString("en-US", { month: "short" }),
  B: (now) => now.toLocaleString("en-US", { month: "long" }),
  "%": () => "%",
};

/** The functions that every template has: jinja2's, and those of transformers. @type {Readonly<Record<string, Callable>>} */
const GLOBALS = {
  raise_exception({ listed: [message] }) {
    throw new Error(str(message));
  },
  range({ listed: [first, end, step = 1] }) {
    const [start, stop] = end === undefined ? [0, first] : [first, end];
    if (![start, stop, step].every(Number.isInteger) || step === 0) refuse("range of such values");
    const length = Math.max(0, Math.ceil((stop - start) / step));
    if (length > MOST_IN_RANGE) refuse(`a range of over ${MOST_IN_RANGE} numbers`);
    return Range.from({ length }, (_, i) => start + i * step);
  },
  strftime_now({ listed: [format] }) {
    const now = new Date();
    return str(format).replace(/%(.?)/gs, (all, part) => DATE_PARTS[part]?.(now) ?? refuse(`strftime_now with ${all}`));
  },
  namespace({ listed: [start], named }) {
    if (start !== undefined && !(start instanceof Map)) refuse(`namespace of ${typeName(start)}`);
    return new Fields("namespace", new Map([...(start ?? []), ...Object.entries(named)]));
  },
  dict: ({ listed, named }) => (listed.length > 0 ? refuse("dict of a value") : new Map(Object.entries(named))),
  cycler: () => refuse("cycler"),
  joiner: () => refuse("joiner"),
  lipsum: () => refuse("lipsum"),
};

/** Tests of `is`, and of selectattr and its like: (value, argument) to whether it passes. @type {Readonly<Record<string, (value: Value, other: Value) => boolean>>} */
const TESTS = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: isNumber,
  integer: (value) => typeof value === "number",
  float: (value) => value instanceof Float,
  mapping: (value) => value instanceof Map,
  sequence: (value) => value === undefined || typeof value === "string" || value instanceof Map || (isList(value) && !(value instanceof View)),
  iterable: (value) => value === undefined || typeof value === "string" || value instanceof Map || isList(value) || value instanceof Lazy,
  callable: (value) => value === undefined || typeof value === "function",
  odd: (value) => remainder(value, 2) === 1,
  even: (value) => remainder(value, 2) === 0,
  divisibleby: (value, by) => remainder(value, by) === 0,
  lower: (value) => isInCase(value, "lower"),
  upper: (value) => isInCase(value, "upper"),
  in: (value, items) => isIn(value, items),
  eq: isEqual,
  equalto: isEqual,
  "==": isEqual,
  ne: (value, other) => !isEqual(value, other),
  "!=": (value, other) => !isEqual(value, other),
};
/** Tests that compare with an argument; the others have none. */
const TESTS_WITH_ARGUMENT = new Set(["divisibleby", "in", "eq", "equalto", "==", "ne", "!="]);

/** Methods of texts, and the most arguments of each. @type {Readonly<Record<string, { most: number, call: (text: string, listed: Value[]) => Value }>>} */
const TEXT_METHODS = {
  upper: { most: 0, call: (text) => text.toUpperCase() },
  lower: { most: 0, call: (text) => text.toLowerCase() },
  capitalize: { most: 0, call: (text) => capitalize(text, /^./s) },
  title: { most: 0, call: (text) => capitalize(text, /(?<![a-z])[a-z]/g) },
  strip: { most: 1, call: (text, [characters]) => strip(text, "strip", characters) },
  lstrip: { most: 1, call: (text, [characters]) => strip(text, "lstrip", characters) },
  rstrip: { most: 1, call: (text, [characters]) => strip(text, "rstrip", characters) },
  startswith: { most: 1, call: (text, [start]) => oneOrMore(start).some((each) => text.startsWith(each)) },
  endswith: { most: 1, call: (text, [end]) => oneOrMore(end).some((each) => text.endsWith(each)) },
  split: { most: 2, call: (text, [separator, most]) => split(text, separator ?? null, most ?? -1) },
  replace: { most: 3, call: (text, [old, replacement, count]) => replace(text, old, replacement, count ?? -1) },
};

/** Methods of dicts; of a name that is a key, too, `a.name` is the method, and a["name"] the item. @type {Readonly<Record<string, (dict: Map<string, Value>, listed: Value[]) => Value>>} */
const DICT_METHODS = {
  get: (dict, [key, fallback = null]) => (dict.has(key) ? dict.get(key) : fallback),
  items: (dict) => View.from(dict, ([key, value]) => Pair.of(key, value)),
  keys: (dict) => View.from(dict.keys()),
  values: (dict) => View.from(dict.values()),
};

/**
 * Filters: the value before the bar, and the arguments, to the result. @type {Readonly<Record<string, (value: Value, given: Given) => Value>>}
 */
const FILTERS = {
  string: (value) => str(value),
  trim: (value, { listed: [characters], named }) => strip(str(value), "trim", characters ?? named.chars),
  upper: (value) => str(value).toUpperCase(),
  lower: (value) => str(value).toLowerCase(),
  capitalize: (value) => capitalize(str(value), /^./s),
  title: (value) => capitalize(str(value), /(?<![^-\s({[<])[a-z]/g),
  tojson: (value, { listed, named }) => (listed.length > 0 ? refuse("tojson with an argument that has no name") : toJson(value, named)),
  default(value, { listed: [fallback = "", forFalse = false], named }) {
    if (named.default_value !== undefined) refuse("default with a named value");
    return value === undefined || (isTrue(named.boolean ?? forFalse) && !isTrue(value)) ? fallback : value;
  },
  join(value, { listed, named }) {
    if (named.attribute !== undefined || listed.length > 1) refuse("join with an attribute");
    return Array.from(itemsOf(value), str).join(str(listed[0] ?? named.d ?? ""));
  },
  length(value) {
    if (value instanceof Map) return value.size;
    return value instanceof Lazy ? refuse("the length of an iterator") : itemsOf(value).length;
  },
  list: (value) => Array.from(itemsOf(value)),
  first: (value) => itemsOf(value)[0],
  last: (value) => (value instanceof Lazy ? refuse("the last item of an iterator") : itemsOf(value).at(-1)),
  reverse: (value) => (typeof value === "string" ? Array.from(value).reverse().join("") : new Lazy(Array.from(itemsOf(value)).reverse())),
  items: (value) => new Lazy(value === undefined ? [] : value instanceof Map ? DICT_METHODS.items(value, []) : refuse(`items of ${typeName(value)}`)),
  dictsort(value, { listed, named }) {
    if (!(value instanceof Map)) refuse(`dictsort of ${typeName(value)}`);
    const { case_sensitive: isCaseSensitive = false, by = "key", reverse = false } = optionsOf(["case_sensitive", "by", "reverse"], listed, named);
    const index = by === "key" ? 0 : by === "value" ? 1 : refuse("dictsort by something else");
    return sorted(DICT_METHODS.items(value, []), (pair) => pair[index], isTrue(isCaseSensitive), isTrue(reverse));
  },
  sort(value, { listed, named }) {
    const options = optionsOf(["reverse", "case_sensitive", "attribute"], listed, named);
    const { reverse = false, case_sensitive: isCaseSensitive = false, attribute: path = null } = options;
    const keyOf = (/** @type {Value} */ each) => (path === null ? each : fieldAt(each, path));
    return sorted(itemsOf(value), keyOf, isTrue(isCaseSensitive), isTrue(reverse));
  },
  map(value, { listed: [filter, ...rest], named }) {
    const { attribute: path, default: fallback, ...others } = named;
    if (filter !== undefined) return new Lazy(Array.from(itemsOf(value), (each) => applyFilter(each, filter, { listed: rest, named })));
    if (path === undefined || Object.keys(others).length > 0) refuse("map of this kind");
    return new Lazy(
      Array.from(itemsOf(value), (each) => {
        const field = fieldAt(each, path);
        return field === undefined ? fallback : field;
      }),
    );
  },
  selectattr: (value, { listed: [name, ...test] }) => select(value, (each) => oneField(each, name), test, true),
  rejectattr: (value, { listed: [name, ...test] }) => select(value, (each) => oneField(each, name), test, false),
  select: (value, { listed: test }) => select(value, (each) => each, test, true),
  reject: (value, { listed: test }) => select(value, (each) => each, test, false),
  abs(value) {
    if (value instanceof Float) return new Float(Math.abs(value.value));
    return typeof value === "number" ? Math.abs(value) : refuse(`abs of ${typeName(value)}`);
  },
  int(value, given) {
    if (typeof value === "string" && /^[ \t\n]*[+-]?\d{1,15}[ \t\n]*$/.test(value)) return Number(value);
    const isWhole = typeof value === "number" || typeof value === "boolean";
    return isWhole && hasNoArguments(given) ? Number(value) : refuse(`int of ${quoted(value)}`);
  },
  float(value, given) {
    if (typeof value === "string" && /^[ \t\n]*[+-]?\d+(\.\d+)?[ \t\n]*$/.test(value)) return new Float(Number(value));
    return isNumber(value) && hasNoArguments(given) ? new Float(numberOf(value)) : refuse(`float of ${quoted(value)}`);
  },
  indent(value, { listed, named }) {
    const { width = 4, first = false, blank = false } = optionsOf(["width", "first", "blank"], listed, named);
    if (typeof value !== "string") refuse(`indent of ${typeName(value)}`);
    if (OTHER_LINES.test(value)) refuse("indent of such lines");
    const margin = typeof width === "number" ? " ".repeat(width) : str(width);
    const lines = value.split("\n").map((line, i) => (i > 0 && (line !== "" || isTrue(blank)) ? margin + line : line));
    return (isTrue(first) ? margin : "") + lines.join("\n");
  },
  replace: (value, { listed: [old, replacement, count], named }) => replace(str(value), old, replacement, count ?? named.count ?? -1),
};
/** Other names of filters. @type {Readonly<Record<string, string>>} */
const FILTER_ALIASES = { count: "length", d: "default" };

/**
 * Read a template, which can then be run any number of times.
 * @param {string} source
 * @returns {Statement[]}
 * @throws {Error} for a syntax error, and for statements and syntax that are not supported
 */
export function readTemplate(source) {
  if (ODD_TRIM.test(source)) refuse("unusual white space beside a tag");
  return parseTemplate(tokenize(source.replace(/\r\n?/g, "\n"), { lstrip_blocks: true, trim_blocks: true }));
}

/**
 * Run a template.
 * @param {Statement[]} template from readTemplate
 * @param {Readonly<Record<string, unknown>>} variables values of JSON by the names under which the template reads them; they hide functions
 *   of Jinja with the same name
 * @returns {string} what the template prints
 * @throws {Error} as raise_exception asks for, for errors of Python, and for what is not supported
 */
export function runTemplate(template, variables) {
  const globals = new Scope();
  for (const [name, call] of Object.entries(GLOBALS)) globals.set(name, call);
  for (const [name, value] of Object.entries(variables)) globals.set(name, fromJson(value));
  return new Run().print(template, globals);
}

/** Variables by name, within those of another scope. */
class Scope {
  /** @type {Map<string, Value>} */
  #variables = new Map();
  #around;

  /** @param {Scope} [around] where names are looked up that this scope does not have */
  constructor(around) {
    this.#around = around;
  }

  /**
   * Return a variable of this scope or of one around it; undefined if there is none.
   * @param {string} name
   * @returns {Value}
   */
  get(name) {
    return this.#variables.has(name) ? this.#variables.get(name) : this.#around?.get(name);
  }

  /**
   * Set a variable of this scope, which hides one around it.
   * @param {string} name
   * @param {Value} value
   */
  set(name, value) {
    this.#variables.set(name, value);
  }

  /**
   * Set several variables to the items of one value; a single variable to the value itself.
   * @param {readonly string[]} names
   * @param {Value} value for several names, a list or a tuple with as many items
   * @throws {Error} for a value with another number of items, or none
   */
  assign(names, value) {
    if (names.length === 1) return this.set(names[0], value);
    if (!isList(value) || value.length !== names.length) refuse(`${names.length} variables of ${typeName(value)}`);
    names.forEach((name, i) => this.set(name, value[i]));
  }
}

/** One run of a template: the text that it has printed so far. */
class Run {
  /** All output goes here at once, so that a loop that breaks off keeps what it has printed. */
  #text = "";

  /**
   * Run statements in a scope within `around`, and return what they print.
   * @param {readonly Statement[]} body
   * @param {Scope} around
   * @returns {string}
   */
  print(body, around) {
    return this.#capture(body, new Scope(around)).text;
  }

  /**
   * Run statements, and take what they print out of the text of this run.
   * @param {readonly Statement[]} body
   * @param {Scope} scope
   * @returns {{ text: string, signal: Signal }}
   */
  #capture(body, scope) {
    const before = this.#text;
    this.#text = "";
    const signal = this.#runAll(body, scope);
    const text = this.#text;
    this.#text = before;
    return { text, signal };
  }

  /**
   * Run statements one after the other, up to a break or continue.
   * @param {readonly Statement[]} body
   * @param {Scope} scope
   * @returns {Signal} "break" or "continue" if one of them ended it early, otherwise undefined
   */
  #runAll(body, scope) {
    for (const statement of body) {
      const signal = this.#runStatement(statement, scope);
      if (signal) return signal;
    }
    return undefined;
  }

  /**
   * Run one statement: add what it prints to #text, or set variables of the scope. Values that it prints are written as Python's str() does.
   * @param {Statement} statement
   * @param {Scope} scope where it runs, whose variables a set or a macro changes
   * @returns {Signal} "break" or "continue" if one of them ended it early, otherwise undefined
   * @throws {Error} for what jinja2 refuses, or what is not supported
   */
  #runStatement(statement, scope) {
    switch (statement.type) {
      case "text":
        this.#text += statement.text;
        return undefined;
      case "print":
        this.#text += str(this.#value(statement.value, scope));
        return undefined;
      case "if":
        return this.#runAll(isTrue(this.#value(statement.test, scope)) ? statement.body : statement.otherwise, scope);
      case "for":
        return this.#runFor(statement, scope);
      case "set":
        return this.#runSet(statement, scope);
      case "macro":
        scope.set(statement.name, this.#macro(statement.macro, scope));
        return undefined;
      case "call block": {
        const given = this.#arguments(statement.args, scope);
        given.named.caller = this.#macro(statement.macro, scope);
        this.#text += str(call(this.#value(statement.callee, scope), given));
        return undefined;
      }
      case "filter block": {
        const { text, signal } = this.#capture(statement.body, new Scope(scope));
        if (signal) return signal;
        /** @type {Value} */
        let result = text;
        for (const { name, args } of statement.filters) result = applyFilter(result, name, this.#arguments(args, scope));
        this.#text += typeof result === "string" ? result : refuse(`a filter block that makes ${typeName(result)}`);
        return undefined;
      }
      default:
        return statement.type;
    }
  }

  /**
   * Run a loop. Its `else` runs, as in jinja2, if no item's body ran to its end: also if all were continued or the first broke off.
   * @param {Extract<Statement, { type: "for" }>} statement
   * @param {Scope} scope
   * @returns {Signal} of the else
   */
  #runFor({ names, items, condition, body, otherwise }, scope) {
    const all = itemsOf(this.#value(items, scope));
    /** Tell whether an item passes the condition of the loop, which sees the loop's variables, but not `loop`. */
    const passes = (/** @type {Value} */ item) => {
      if (!condition) return true;
      const inner = new Scope(scope);
      inner.assign(names, item);
      return isTrue(this.#value(condition, inner));
    };
    const chosen = Array.from(all).filter(passes);
    let hasRun = false;
    for (const [i, item] of chosen.entries()) {
      const inner = new Scope(scope);
      inner.set("loop", new Fields("loop", loopFields(chosen, i)));
      inner.assign(names, item);
      const signal = this.#runAll(body, inner);
      if (signal === "break") break;
      hasRun ||= signal === undefined;
    }
    return hasRun ? undefined : this.#runAll(otherwise, new Scope(scope));
  }

  /**
   * Assign a value, or what a body prints, to variables or to a field of a namespace.
   * @param {Extract<Statement, { type: "set" }>} statement
   * @param {Scope} scope
   * @returns {Signal} of the body; then nothing is assigned
   * @throws {Error} for a field of what is no namespace
   */
  #runSet({ target, value, body }, scope) {
    /** @type {Value} */
    let assigned;
    if (value) assigned = this.#value(value, scope);
    else {
      const { text, signal } = this.#capture(body, new Scope(scope));
      if (signal) return signal;
      assigned = text;
    }
    if ("names" in target) scope.assign(target.names, assigned);
    else {
      const object = scope.get(target.object);
      if (!(object instanceof Fields) || object.kind !== "namespace") refuse(`to set a field of ${typeName(object)}`);
      object.fields.set(target.field, assigned);
    }
    return undefined;
  }

  /**
   * Return a macro as a function. It sees the variables of the scope where it stands, as they are at its call, and not those of its caller.
   * @param {import("./jinja-parser.js").MacroBody} macro
   * @param {Scope} scope
   * @returns {Callable} which returns what the body prints, and throws for arguments that the macro does not take
   */
  #macro({ parameters, body, uses }, scope) {
    return ({ listed, named }) => {
      const inner = new Scope(scope);
      const { caller, ...rest } = named;
      if (caller !== undefined && !uses.has("caller")) refuse("a call block of a macro without caller()");
      inner.set("caller", caller);
      for (const [i, { name }] of parameters.entries()) {
        if (i < listed.length && Object.hasOwn(rest, name)) refuse(`two values for ${name}`);
        inner.set(name, i < listed.length ? listed[i] : rest[name]);
      }
      for (const [i, { name, fallback }] of parameters.entries()) {
        if (fallback && i >= listed.length && !Object.hasOwn(rest, name)) inner.set(name, this.#value(fallback, inner));
        delete rest[name];
      }
      if (uses.has("kwargs")) inner.set("kwargs", new Map(Object.entries(rest)));
      else if (Object.keys(rest).length > 0) refuse(`the argument ${Object.keys(rest)[0]} of a macro`);
      if (uses.has("varargs")) inner.set("varargs", Tuple.from(listed.slice(parameters.length)));
      else if (listed.length > parameters.length) refuse(`more than ${parameters.length} arguments of a macro`);
      return this.#capture(body, inner).text;
    };
  }

  /**
   * Return the value of an expression, as Python has it. Only the operands of `and`, `or`, conditions and comparisons that are needed are read,
   * from left to right; `and` and `or` return one of their operands.
   * @param {Expression} node
   * @param {Scope} scope
   * @returns {Value}
   * @throws {Error} for what Python refuses, and what is not supported
   */
  #value(node, scope) {
    switch (node.type) {
      case "constant":
        return node.value;
      case "name":
        return scope.get(node.name);
      case "list":
        return node.items.map((item) => this.#value(item, scope));
      case "tuple":
        return Tuple.from(node.items, (item) => this.#value(item, scope));
      case "dict":
        return new Map(node.entries.map(([key, value]) => [dictKey(this.#value(key, scope)), this.#value(value, scope)]));
      case "not":
        return !isTrue(this.#value(node.operand, scope));
      case "negative":
        return arithmetic("*", -1, requireNumber(this.#value(node.operand, scope)));
      case "positive":
        return arithmetic("*", 1, requireNumber(this.#value(node.operand, scope)));
      case "and":
      case "or": {
        const left = this.#value(node.left, scope);
        return isTrue(left) === (node.type === "and") ? this.#value(node.right, scope) : left;
      }
      case "conditional":
        if (isTrue(this.#value(node.test, scope))) return this.#value(node.yes, scope);
        return node.no && this.#value(node.no, scope);
      case "comparison":
        return this.#compareAll(node, scope);
      case "arithmetic":
        return arithmetic(node.operator, this.#value(node.left, scope), this.#value(node.right, scope));
      case "concatenation":
        return node.items.map((item) => str(this.#value(item, scope))).join("");
      case "attribute":
        return attribute(this.#value(node.object, scope), node.name);
      case "item":
        return item(this.#value(node.object, scope), this.#value(node.key, scope));
      case "slice":
        return slice(this.#value(node.object, scope), node.bounds.map((bound) => bound && this.#value(bound, scope)));
      case "call":
        return call(this.#value(node.callee, scope), this.#arguments(node.args, scope));
      case "filter":
        return applyFilter(this.#value(node.operand, scope), node.filter.name, this.#arguments(node.filter.args, scope));
      default:
        return passesTest(this.#value(node.operand, scope), node.test.name, this.#arguments(node.test.args, scope).listed) !== node.isNegated;
    }
  }

  /**
   * Tell whether each operand compares with the next as its operator says; the operands after the first that does not are left unread.
   * @param {Extract<Expression, { type: "comparison" }>} node
   * @param {Scope} scope
   * @returns {boolean}
   */
  #compareAll({ first, rest }, scope) {
    let left = this.#value(first, scope);
    for (const { operator, operand } of rest) {
      const right = this.#value(operand, scope);
      if (!isComparison(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  /**
   * Return the values of arguments.
   * @param {import("./jinja-parser.js").Arguments} args
   * @param {Scope} scope
   * @returns {Given}
   */
  #arguments({ listed, named }, scope) {
    return {
      listed: listed.map((each) => this.#value(each, scope)),
      named: Object.fromEntries(named.map(([name, each]) => [name, this.#value(each, scope)])),
    };
  }
}

/** Return a number of two digits, with a zero in front of one. @param {number} part from 0 to 99 */
const twoDigits = (part) => String(part).padStart(2, "0");

/**
 * Return arguments that may be given by position or by name, under their names.
 * @param {readonly string[]} names in the order of positions
 * @param {Value[]} listed arguments by position
 * @param {Record<string, Value>} named arguments by name
 * @returns {Record<string, Value>} undefined for those that are left out
 * @throws {Error} for an argument with another name, or too many
 */
function optionsOf(names, listed, named) {
  const unknown = Object.keys(named).find((name) => !names.includes(name));
  if (unknown !== undefined || listed.length > names.length) refuse(`the argument ${unknown ?? listed.length} of a filter`);
  return Object.fromEntries(names.map((name, i) => [name, i < listed.length ? listed[i] : named[name]]));
}

/** Tell whether a filter has no arguments. @param {Given} given */
const hasNoArguments = ({ listed, named }) => listed.length === 0 && Object.keys(named).length === 0;
/** Return a text in quotes, or the type of another value, for a message. @param {Value} value @returns {string} */
const quoted = (value) => (typeof value === "string" ? JSON.stringify(value) : typeName(value));

/**
 * Return a number as it is.
 * @param {Value} value
 * @returns {Value}
 * @throws {Error} for anything else
 */
function requireNumber(value) {
  return isNumber(value) ? value : refuse(`the sign of ${typeName(value)}`);
}

/**
 * Return the fields of `loop` for one item.
 * @param {readonly Value[]} items all of the loop
 * @param {number} i the item's index
 * @returns {Map<string, Value>}
 */
function loopFields(items, i) {
  const { length } = items;
  return new Map(
    Object.entries({
      ...{ index: i + 1, index0: i, revindex: length - i, revindex0: length - i - 1, length },
      ...{ first: i === 0, last: i === length - 1, previtem: items[i - 1], nextitem: items[i + 1] },
    }),
  );
}

/**
 * Call a function of the template.
 * @param {Value} callee
 * @param {Given} given
 * @returns {Value}
 * @throws {Error} if it is none
 */
function call(callee, given) {
  return typeof callee === "function" ? callee(given) : refuse(`a call of ${typeName(callee)}`);
}

/**
 * Return the key of a dict that a template writes.
 * @param {Value} key
 * @returns {string}
 * @throws {Error} for anything but a text
 */
function dictKey(key) {
  return typeof key === "string" ? key : refuse(`a dict with ${typeName(key)} as a key`);
}

/**
 * Return the attribute of a value, `value.name`: a method, a field, or an item of a dict. As in Python, a method of dicts hides the item with
 * its name: `d.items` is the method, `d["items"]` the item.
 * @param {Value} value
 * @param {string} name
 * @returns {Value} undefined if there is none
 * @throws {Error} for an undefined value, and for attributes of Python that are not supported
 */
function attribute(value, name) {
  const method = methodOf(value, name);
  if (method) return method;
  if (value instanceof Map) return value.get(name);
  return value instanceof Fields ? value.fields.get(name) : undefined;
}

/**
 * Return a method of a text or a dict, bound to it.
 * @param {Value} value
 * @param {string} name
 * @returns {Callable | undefined} undefined if Python has no such attribute either
 * @throws {Error} for an undefined value, and for attributes of Python that are not supported
 */
function methodOf(value, name) {
  if (value === undefined) refuse("a field of an undefined value");
  const type = typeName(value);
  if (PYTHON_ATTRIBUTES[type]?.test(name) || name.startsWith("__")) refuse(`${name} of ${type}`);
  const isText = typeof value === "string" && Object.hasOwn(TEXT_METHODS, name);
  if (!isText && !(value instanceof Map && Object.hasOwn(DICT_METHODS, name))) return undefined;
  return ({ listed, named }) => {
    if (Object.keys(named).length > 0) refuse(`${name}() with a named argument`);
    if (typeof value !== "string") return DICT_METHODS[name](value, listed);
    const { most, call: run } = TEXT_METHODS[name];
    return listed.length > most ? refuse(`${name}() with ${listed.length} arguments`) : run(value, listed);
  };
}

/**
 * Return an item of a value, `value[key]`: a character, an item of a list, or an item of a dict; otherwise the attribute of that name.
 * @param {Value} value
 * @param {Value} key negative indices count from the end
 * @returns {Value} undefined if there is none
 * @throws {Error} for an undefined value, a view of a dict, and a key with a fraction
 */
function item(value, key) {
  if (value === undefined) refuse("an item of an undefined value");
  if (value instanceof View || key instanceof Float) refuse(`an item of ${typeName(value)}`);
  if (value instanceof Map && value.has(key)) return value.get(key);
  if (typeof key === "string") return value instanceof Map ? methodOf(value, key) : attribute(value, key);
  if (typeof key !== "number" && typeof key !== "boolean") return undefined;
  if (typeof value === "string") return Array.from(value).at(Number(key));
  return isList(value) ? value.at(Number(key)) : undefined;
}

/**
 * Return a part of a text or a list, as Python's slices do.
 * @param {Value} value
 * @param {Value[]} bounds start, end and step; undefined or None for the default
 * @returns {Value} a text of a text, in code points; a list of a list
 * @throws {Error} for other values and bounds
 */
function slice(value, [start, stop, step]) {
  if (typeof value !== "string" && value?.constructor !== Array) refuse(`a part of ${typeName(value)}`);
  const items = itemsOf(value);
  const by = step ?? 1;
  if (![start ?? 0, stop ?? 0, by].every(Number.isInteger) || by === 0) refuse("a part with such bounds");
  /** Return a bound as an index within the items: negative ones count from the end. */
  const clamp = (/** @type {number} */ bound) => {
    const [least, most] = by > 0 ? [0, items.length] : [-1, items.length - 1];
    return Math.min(most, Math.max(least, bound < 0 ? bound + items.length : bound));
  };
  const from = start === undefined || start === null ? (by > 0 ? 0 : items.length - 1) : clamp(start);
  const end = stop === undefined || stop === null ? (by > 0 ? items.length : -1) : clamp(stop);
  /** @type {Value[]} */
  const part = [];
  for (let i = from; by > 0 ? i < end : i > end; i += by) part.push(items[i]);
  return typeof value === "string" ? part.join("") : part;
}

/**
 * Compute with two values.
 * @param {string} operator + - * / // % or **
 * @param {Value} left
 * @param {Value} right
 * @returns {Value} a float of / or of a float, otherwise an int; a text or list of two for +, a text repeated for *
 * @throws {Error} for other types, a division by zero, and where JavaScript's numbers and Python's differ
 */
function arithmetic(operator, left, right) {
  if (operator === "+" && typeof left === "string" && typeof right === "string") return left + right;
  if (operator === "+" && left?.constructor === Array && right?.constructor === Array) return [...left, ...right];
  if (operator === "*" && typeof left === "string" && typeof right === "number") return left.repeat(Math.max(0, right));
  if (!isNumber(left) || !isNumber(right)) refuse(`${typeName(left)} ${operator} ${typeName(right)}`);
  const [a, b] = [numberOf(left), numberOf(right)];
  const isFloat = left instanceof Float || right instanceof Float;
  if (["/", "//", "%"].includes(operator) && b === 0) refuse("division by zero");
  if (operator === "/") return new Float(a / b);
  if (operator === "%" && a < 0 !== b < 0) refuse("% of a negative number");
  if (operator === "**" && (isFloat || b < 0)) refuse("** of a number with a fraction");
  const result = { "+": a + b, "-": a - b, "*": a * b, "//": Math.floor(a / b), "%": a % b, "**": a ** b }[operator] ?? NaN;
  if (isFloat) return new Float(result);
  return Number.isSafeInteger(result) ? result + 0 : refuse("a number over 2 ** 53"); // + 0: an int has no negative zero
}

/**
 * Return the remainder of two ints, for tests.
 * @param {Value} value
 * @param {Value} by
 * @returns {number}
 * @throws {Error} for other types, and where arithmetic() does
 */
function remainder(value, by) {
  if (typeof value !== "number" || typeof by !== "number") refuse(`a division of ${typeName(value)} by ${typeName(by)}`);
  return arithmetic("%", Math.abs(value), Math.abs(by));
}

/**
 * Tell whether a comparison holds.
 * @param {string} operator == != < <= > >= in, or not in
 * @param {Value} left
 * @param {Value} right
 * @returns {boolean}
 * @throws {Error} for an order of values of two types, and for `in` of a value without items
 */
function isComparison(operator, left, right) {
  if (operator === "==" || operator === "!=") return isEqual(left, right) === (operator === "==");
  if (operator === "in" || operator === "not in") return isIn(left, right) === (operator === "in");
  const order = compare(left, right);
  if (operator === "<" || operator === "<=") return order < 0 || (order === 0 && operator === "<=");
  return order > 0 || (order === 0 && operator === ">=");
}

/**
 * Tell whether a value is in a text, among the items of a list, or a key of a dict; nothing is in an undefined value.
 * @param {Value} value
 * @param {Value} items
 * @returns {boolean}
 * @throws {Error} for an iterator and for what has no items; in a text for anything but a text, in a dict for a list or a dict
 */
function isIn(value, items) {
  if (typeof items === "string") return typeof value === "string" ? items.includes(value) : refuse(`${typeName(value)} in a text`);
  if (items instanceof Map) return isList(value) || value instanceof Map ? refuse(`${typeName(value)} as a key`) : items.has(value);
  if (items instanceof Lazy) refuse("to search an iterator");
  return itemsOf(items).some((each) => isEqual(value, each));
}

/**
 * Tell whether all letters of a text are small, or all are capitals.
 * @param {Value} value
 * @param {"lower" | "upper"} letterCase
 * @returns {boolean}
 * @throws {Error} for anything but a text, and for a text without letters
 */
function isInCase(value, letterCase) {
  if (typeof value !== "string" || value.toLowerCase() === value.toUpperCase()) refuse(`is ${letterCase} of such a value`);
  return value === (letterCase === "lower" ? value.toLowerCase() : value.toUpperCase());
}

/**
 * Tell whether a value passes a test.
 * @param {Value} value
 * @param {string} name of the test
 * @param {Value[]} args what it compares with, at most one
 * @returns {boolean}
 * @throws {Error} for an unknown test, or one with too few or too many arguments
 */
function passesTest(value, name, args) {
  if (!Object.hasOwn(TESTS, name)) refuse(`the test ${name}`);
  if (args.length !== Number(TESTS_WITH_ARGUMENT.has(name))) refuse(`the test ${name} with ${args.length} arguments`);
  return TESTS[name](value, args[0]);
}

/**
 * Apply a filter to a value, which stays as it is.
 * @param {Value} value
 * @param {string} name of the filter
 * @param {Given} given
 * @returns {Value}
 * @throws {Error} for an unknown filter, and for values and arguments that it does not take
 */
function applyFilter(value, name, given) {
  const known = FILTER_ALIASES[name] ?? name;
  return Object.hasOwn(FILTERS, known) ? FILTERS[known](value, given) : refuse(`the filter ${name}`);
}

/**
 * Return the items of a value that pass a test, or those that do not, as an iterator.
 * @param {Value} value
 * @param {(item: Value) => Value} fieldOf what of an item is tested
 * @param {Value[]} test its name and what it compares with; empty: whether the field is true
 * @param {boolean} isWanted whether the items that pass are returned, or the others
 * @returns {Lazy}
 */
function select(value, fieldOf, [name, ...args], isWanted) {
  const passes = (/** @type {Value} */ field) => (name === undefined ? isTrue(field) : passesTest(field, name, args));
  return new Lazy(Array.from(itemsOf(value)).filter((each) => passes(fieldOf(each)) === isWanted));
}

/**
 * Return a field of an item by its name.
 * @param {Value} value
 * @param {Value} name without dots
 * @returns {Value}
 * @throws {Error} for an item that is no dict, and for a name with dots
 */
function oneField(value, name) {
  if (!(value instanceof Map) || typeof name !== "string" || name.includes(".")) refuse("selectattr of this kind");
  return fieldAt(value, name);
}

/**
 * Return what a path of names leads to, as jinja2's filters with an `attribute` do.
 * @param {Value} value
 * @param {Value} path such as "function.name"; digits are an index
 * @returns {Value}
 */
function fieldAt(value, path) {
  const parts = typeof path === "number" ? [path] : str(path).split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return parts.reduce((object, part) => item(object, part), value);
}

/**
 * Return items in an order that keeps equal ones as they are.
 * @param {readonly Value[]} items
 * @param {(item: Value) => Value} keyOf what items are ordered by
 * @param {boolean} isCaseSensitive whether capitals of texts differ from small letters
 * @param {boolean} isReversed
 * @returns {Value[]} a new list
 */
function sorted(items, keyOf, isCaseSensitive, isReversed) {
  const keyed = Array.from(items, (each) => ({ each, key: keyOf(each) }));
  const fold = (/** @type {Value} */ key) => (typeof key === "string" && !isCaseSensitive ? key.toLowerCase() : key);
  keyed.sort((a, b) => (isReversed ? compare(fold(b.key), fold(a.key)) : compare(fold(a.key), fold(b.key))));
  return keyed.map(({ each }) => each);
}

/**
 * Return the texts of an argument of startswith or endswith.
 * @param {Value} given a text or a tuple of texts
 * @returns {readonly string[]}
 * @throws {Error} for anything else
 */
function oneOrMore(given) {
  const texts = given?.constructor === Tuple ? given : [given];
  return texts.every((/** @type {Value} */ text) => typeof text === "string") ? texts : refuse(`startswith or endswith with ${typeName(given)}`);
}

/**
 * Return the parts of a text between separators, as str.split does.
 * @param {string} text
 * @param {Value} separator a text; null: runs of white space, which also vanish at both ends
 * @param {Value} most how many cuts at most; -1 for any number
 * @returns {string[]}
 * @throws {Error} for an empty separator, other types, and white space that only Python or JavaScript counts as such
 */
function split(text, separator, most) {
  if (!Number.isInteger(most) || separator === "") refuse("split() with such arguments");
  if (typeof separator === "string") {
    const parts = text.split(separator);
    return most < 0 || parts.length <= most ? parts : [...parts.slice(0, most), parts.slice(most).join(separator)];
  }
  if (separator !== null) refuse(`split() at ${typeName(separator)}`);
  if (OTHER_SPACE.test(text)) refuse("split() at unusual white space");
  /** @type {string[]} */
  const parts = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const end = parts.length === most ? -1 : rest.search(/\s/);
    parts.push(end < 0 ? rest : rest.slice(0, end));
    rest = end < 0 ? "" : rest.slice(end).trimStart();
  }
  return parts;
}

/**
 * Return a text with some of its parts replaced, from the left.
 * @param {string} text
 * @param {Value} old what is replaced; not empty
 * @param {Value} replacement
 * @param {Value} most how often at most; -1 for every time
 * @returns {string}
 * @throws {Error} for other types
 */
function replace(text, old, replacement, most) {
  if (typeof old !== "string" || old === "" || typeof replacement !== "string" || !Number.isInteger(most)) refuse("replace() with such arguments");
  const parts = text.split(old);
  if (most < 0 || parts.length - 1 <= most) return parts.join(replacement);
  return [parts.slice(0, most + 1).join(replacement), ...parts.slice(most + 1)].join(old);
}
