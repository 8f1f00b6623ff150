// Jinja as transformers has it: @huggingface/jinja reads templates and runs them, and where it would silently print something else than
// Python's jinja2, what is below decides, or refuses. Output goes into one text as it is printed, so that {% break %} loses none.

import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";

/** @typedef {any} Node of a template, as that package makes them */
/** @typedef {any} Value with a `type` and a `value`, as that package has them when it runs a template */
/** @typedef {{ none: string, yes: string, no: string, text: (text: string) => string, tuple: boolean, comma: string, colon: string, sorted?: boolean, step?: string }} Style */

/** What prints nothing itself. */
const STATEMENTS = new Set(["If", "For", "Set", "Macro", "Break", "Continue", "Comment"]);
/** What prints into a value, not into the text. */
const CAPTURES = new Set(["Program", "Set", "Macro", "CallStatement", "FilterStatement"]);
/** The most arguments of methods of texts: that package ignores more. @type {Readonly<Record<string, number>>} */
const MOST_ARGUMENTS = { upper: 0, lower: 0, title: 0, capitalize: 0, startswith: 1, endswith: 1, split: 2, replace: 3 };
/** What is true of further types in Python. @type {Readonly<Record<string, readonly string[]>>} */
const MORE_TESTED = {
  ...{ iterable: ["ObjectValue", "TupleValue", "UndefinedValue"], number: ["BooleanValue"] },
  ...{ callable: ["UndefinedValue"], sequence: ["UndefinedValue"] },
};

/** White space of Python; and what only one of Python and JavaScript counts as such. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const OTHER_SPACE = /[\x1c-\x1f\x85\ufeff]/;
/** Where Python ends lines besides "\n". */
const OTHER_LINES = /[\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

/** @type {Readonly<Record<string, (now: Date) => string>>} */
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
const GLOBALS = {
  ...{ true: true, True: true, false: false, False: false, none: null, None: null },
  raise_exception(/** @type {string} */ message) {
    throw new Error(message);
  },
  range(/** @type {number} */ first, /** @type {number | undefined} */ end, step = 1) {
    const [start, stop] = end === undefined ? [0, first] : [first, end];
    return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, i) => start + i * step);
  },
  strftime_now(/** @type {string} */ format) {
    const now = new Date();
    return format.replace(/%(.?)/gs, (all, part) => DATE_PARTS[part]?.(now) ?? refuse(`strftime_now with ${all}`));
  },
};

/** A template that can be run. @param {string} source */
export function readTemplate(source) {
  const program = parse(tokenize(source.replace(/\r\n?/g, "\n"), { lstrip_blocks: true, trim_blocks: true }));
  prepare(program);
  return program;
}

/** @param {Node} template @param {Readonly<Record<string, unknown>>} variables @returns {string} */
export function runTemplate(template, variables) {
  const globals = new Environment();
  for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) globals.set(name, value);
  return new PythonInterpreter().evaluate(template, globals).value;
}

/** Mark what prints, what captures it, and where a scope of variables begins. @param {Node} node */
function prepare(node) {
  const marked = (/** @type {string} */ type, /** @type {object} */ fields) =>
    Object.assign(Object.create(Object.getPrototypeOf(node)), { type, ...fields });
  for (const key of ["body", "alternate", "defaultBlock"]) {
    node[key]?.forEach(prepare);
    node[key] = node[key]?.map((/** @type {Node} */ each) => (STATEMENTS.has(each.type) ? each : marked("Output", { printed: each })));
  }
  if (node.type === "For") node.body = [marked("Scope", { body: node.body })];
  if (CAPTURES.has(node.type) && node.body.length > 0) node.body = [marked("Capture", { body: node.body })];
}

class PythonInterpreter extends Interpreter {
  #text = "";

  /** @param {Node} node @param {Environment} scope @returns {Value} */
  evaluate(node, scope) {
    switch (node?.type) {
      case "Output":
        this.#text += str(this.evaluate(node.printed, scope));
        return NOTHING;
      case "Scope":
        return this.#run(node.body, scope);
      case "Capture":
        return this.#captured(node.body, scope);
      case "Value":
        return node.value;
      case "Macro":
        return this.#macro(node, scope);
      case "BinaryExpression":
        return this.#binary(node, scope);
      case "MemberExpression":
        return this.#member(node, scope);
      case "CallExpression":
        return this.#call(node, scope);
      case "TestExpression":
        return this.#test(node, scope);
      case "FilterExpression":
        return this.#filter(this.evaluate(node.operand, scope), node.filter, scope);
      case "FilterStatement":
        return this.#filter(this.evaluate(node.body[0], scope), node.filter, scope);
      default:
        return super.evaluate(node, scope);
    }
  }

  /** @param {Node[]} body @param {Environment} scope */
  #run(body, scope) {
    const inner = new Environment(scope);
    for (const node of body) this.evaluate(node, inner);
    return NOTHING;
  }

  /** @param {Node[]} body @param {Environment} scope */
  #captured(body, scope) {
    const before = this.#text;
    this.#text = "";
    try {
      this.#run(body, scope);
      return valueOf(this.#text);
    } finally {
      this.#text = before;
    }
  }

  /** A macro sees the variables around it, not those around its calls. @param {Node} node @param {Environment} scope */
  #macro(node, scope) {
    super.evaluate(node, scope);
    const macro = scope.lookupVariable(node.name.value);
    const { value } = macro;
    macro.value = (/** @type {Value[]} */ given, /** @type {Environment} */ from) => {
      const around = new Environment(scope);
      around.setVariable("caller", from.variables.get("caller") ?? NOTHING);
      return value(given, around);
    };
    return NOTHING;
  }

  /** @param {Node} node @param {Environment} scope */
  #binary(node, scope) {
    const operator = node.operator.value;
    if (operator === "and" || operator === "or") return super.evaluate(node, scope);
    const [left, right] = [this.evaluate(node.left, scope), this.evaluate(node.right, scope)];
    if (operator === "~") return valueOf(str(left) + str(right));
    if (operator === "==" || operator === "!=") return valueOf(equal(left, right) === (operator === "=="));
    if (isList(right) && /in$/.test(operator)) {
      return valueOf(right.value.some((/** @type {Value} */ each) => equal(left, each)) === (operator === "in"));
    }
    const types = [left.type, right.type];
    const isMixed = types[0] !== types[1] && !(isNumber(left) && isNumber(right));
    if (operator === "+" && (isMixed || types[0] === "TupleValue")) refuse(types.join(" + "));
    if (["/", "//", "%"].includes(operator) && right.value === 0) refuse("division by zero");
    if (operator === "%" && left.value < 0 !== right.value < 0) refuse("% of a negative number");
    if (operator === "**" && types.includes("FloatValue")) refuse("** of a number with a fraction");
    return super.evaluate({ ...node, left: given(left), right: given(right) }, scope);
  }

  /** @param {Node} node @param {Environment} scope */
  #member(node, scope) {
    let object = this.evaluate(node.object, scope);
    if (object.type === "UndefinedValue") refuse("a field of an undefined value");
    if ((isText(object) || isList(object)) && !node.computed && node.property.value === "length") return NOTHING;
    const isSlice = node.property.type === "SliceExpression";
    if (isSlice && object.type === "TupleValue") refuse("a part of a tuple");
    if (!isSlice && isText(object) && node.computed && /[\ud800-\udfff]/.test(object.value)) object = valueOf(Array.from(object.value));
    return super.evaluate({ ...node, object: given(object) }, scope);
  }

  /** @param {Node} node @param {Environment} scope */
  #call(node, scope) {
    const { callee, args } = node;
    if (callee.type !== "MemberExpression" || callee.computed) return super.evaluate(node, scope);
    const object = this.evaluate(callee.object, scope);
    const name = callee.property.value;
    if (isText(object)) {
      const text = object.value;
      if (args.length > MOST_ARGUMENTS[name]) refuse(`${name}() with ${args.length} arguments`);
      if (/^[lr]?strip$/.test(name)) return valueOf(stripped(text, name, this.#arguments(args, scope).listed[0]?.value));
      if (name === "capitalize") return valueOf(capitalized(text, /^./s));
      if (name === "title") return valueOf(capitalized(text, /(?<![a-z])[a-z]/g));
      if (name === "split" && OTHER_SPACE.test(text)) refuse("split() at unusual white space");
    }
    const made = super.evaluate({ ...node, callee: { ...callee, object: given(object) } }, scope);
    return object.type === "ObjectValue" && /^(items|keys|values)$/.test(name) ? hidden(name, made) : made;
  }

  /** @param {Node[]} nodes @param {Environment} scope */
  #arguments(nodes, scope) {
    /** @type {{ listed: Value[], named: Record<string, Value> }} */
    const found = { listed: [], named: {} };
    for (const node of nodes) {
      if (node.type === "KeywordArgumentExpression") found.named[node.key.value] = this.evaluate(node.value, scope);
      else found.listed.push(this.evaluate(node, scope));
    }
    return found;
  }

  /** @param {Node} node @param {Environment} scope */
  #test(node, scope) {
    const operand = this.evaluate(node.operand, scope);
    const { value, type } = operand;
    const name = node.test.value;
    if (MORE_TESTED[name]?.includes(type)) return valueOf(!node.negate);
    if (/^(low|upp)er$/.test(name) && (!isText(operand) || value.toLowerCase() === value.toUpperCase())) refuse(`is ${name} of such a value`);
    return super.evaluate({ ...node, type: "TestExpression", operand: given(operand) }, scope);
  }

  /** What selectattr asks. @param {Value} item @param {Value[]} asked a field, a test and what it compares with @param {Environment} scope */
  #passes(item, [field, test, other], scope) {
    if (item.type !== "ObjectValue" || field.value.includes(".")) refuse("selectattr of this kind");
    const value = item.value.get(field.value) ?? NOTHING;
    if (["equalto", "eq", "=="].includes(test?.value)) return equal(value, other);
    if (other) refuse(`the test ${test.value} with an argument`);
    return test ? this.#test({ operand: given(value), test, negate: false }, scope).value : value.__bool__().value;
  }

  /** @param {Value} operand @param {Node} filter @param {Environment} scope */
  #filter(operand, filter, scope) {
    const name = (filter.callee ?? filter).value;
    const { listed, named } = this.#arguments(filter.args ?? [], scope);
    const { value, type } = operand;
    if (name === "string") return valueOf(str(operand));
    if (name === "trim") return valueOf(stripped(str(operand), name, (listed[0] ?? named.chars)?.value));
    if (name === "tojson") {
      if (listed.length > 0) refuse("tojson with an argument that has no name");
      return valueOf(written(operand, jsonStyle(named)));
    }
    if (name === "join" && (isText(operand) || isList(operand))) {
      if (named.attribute || listed.length > 1) refuse("join with an attribute");
      const parts = isText(operand) ? Array.from(value) : value.map(str);
      return valueOf(parts.join(str(listed[0] ?? named.d ?? valueOf(""))));
    }
    if (isText(operand)) {
      if (name === "length") return valueOf(Array.from(value).length);
      if (name === "capitalize") return valueOf(capitalized(value, /^./s));
      if (name === "title") return valueOf(capitalized(value, /(?<![^-\s({[<])[a-z]/g));
      if (name === "indent" && (OTHER_LINES.test(value) || /^(\n|$)/.test(value))) refuse("indent of such lines");
      if (name === "int" && !/^\s*[+-]?\d{1,15}\s*$/.test(value)) refuse(`int of ${JSON.stringify(value)}`);
      if (name === "float" && !/^\s*[+-]?\d+(\.\d+)?\s*$/.test(value)) refuse(`float of ${JSON.stringify(value)}`);
    }
    const isDefault = filter.args && isNumber(operand) && /^(int|float)$/.test(name);
    const isOther = name === "default" ? named.default_value : (name === "int" && type === "FloatValue") || /^(unique|bool)$/.test(name);
    if (isDefault || isOther) refuse(`the filter ${name} of this kind`);
    if (name === "list" && isList(operand)) return this.#listed(value, scope);
    if (/^(select|reject)attr$/.test(name) && isList(operand)) {
      const passes = (/** @type {Value} */ item) => this.#passes(item, listed, scope) === (name === "selectattr");
      return iterator(name, this.#listed(value.filter(passes), scope));
    }
    return iterator(name, super.evaluate({ type: "FilterExpression", operand: given(operand), filter }, scope) ?? NOTHING);
  }

  /** @param {Value[]} values @param {Environment} scope @returns {Value} */
  #listed(values, scope) {
    return super.evaluate({ type: "ArrayLiteral", value: values.map(given) }, scope);
  }
}

/** A node whose value is known. @param {Value} value */
const given = (value) => ({ type: "Value", value });
/** @param {unknown} plain @returns {Value} */
const valueOf = (plain) => new Environment().set("value", plain);
const NOTHING = valueOf(undefined);
/** @param {Value} value */
const isText = ({ type }) => type === "StringValue";
/** @param {Value} value */
const isList = ({ type }) => type === "ArrayValue" || type === "TupleValue";
/** @param {Value} value */
const isNumber = ({ type }) => ["IntegerValue", "FloatValue", "BooleanValue"].includes(type);
/** @param {number} part */
const twoDigits = (part) => String(part).padStart(2, "0");

/** @param {string} what @returns {never} */
function refuse(what) {
  throw new Error(`${what} is not supported, or an error in Python, too`);
}

/** A list that Python shows in another way, such as dict_items([(1, 2)]). @param {string} name of what made it @param {Value} list */
function hidden(name, list) {
  if (/^(items|dictsort)$/.test(name)) for (const pair of list.value) pair.hidden = true;
  return Object.assign(list, { hidden: true });
}

/** What these filters make is an iterator in Python, which is true even if it has nothing. @param {string} filter @param {Value} made */
function iterator(filter, made) {
  if (filter === "dictsort") return hidden(filter, made);
  const isOne = /^(map|reverse|items|selectattr|rejectattr)$/.test(filter);
  return isOne ? Object.assign(hidden(filter, made), { __bool__: () => valueOf(true) }) : made;
}

/** @param {Value} a @param {Value} b @returns {boolean} */
function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return Number(a.value) === Number(b.value);
  if (a.type !== b.type) return false;
  if (isList(a)) return a.value.length === b.value.length && a.value.every((/** @type {Value} */ each, /** @type {number} */ i) => equal(each, b.value[i]));
  if (a.type !== "ObjectValue") return a.value === b.value;
  return a.value.size === b.value.size && [...a.value].every(([key, each]) => b.value.has(key) && equal(each, b.value.get(key)));
}

/** @param {string} text @param {string} name of the method @param {string | null} [characters] instead of white space */
function stripped(text, name, characters) {
  const all = Array.from(text);
  const goes = (/** @type {string} */ each) => (characters ?? undefined) === undefined ? SPACE.test(each) : Array.from(characters ?? "").includes(each);
  let [start, end] = [0, all.length];
  if (name !== "rstrip") while (start < end && goes(all[start])) start++;
  if (name !== "lstrip") while (end > start && goes(all[end - 1])) end--;
  return all.slice(start, end).join("");
}

/** @param {string} text @param {RegExp} beginnings of words in small letters */
function capitalized(text, beginnings) {
  if (/[^\0-\x7f]/.test(text)) refuse("capital letters beyond ASCII");
  return text.toLowerCase().replace(beginnings, (letter) => letter.toUpperCase());
}

/** Python's str(). @param {Value} value @returns {string} */
function str(value) {
  if (value.type === "UndefinedValue") return "";
  return isText(value) ? value.value : written(value, PYTHON);
}

/** @type {Style} */
const PYTHON = { none: "None", yes: "True", no: "False", text: quoted, tuple: true, comma: ", ", colon: ": " };

/** @param {Record<string, Value>} options of tojson @returns {Style} */
function jsonStyle({ ensure_ascii, indent, separators, sort_keys, ...others }) {
  for (const name in others) refuse(`tojson with ${name}`);
  const ascii = (/** @type {string} */ text) => text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const text = ensure_ascii?.value ? (/** @type {string} */ each) => ascii(JSON.stringify(each)) : JSON.stringify;
  const step = typeof indent?.value === "number" ? " ".repeat(indent.value) : (indent?.value ?? undefined);
  const [comma, colon] = separators?.value?.map(str) ?? [step === undefined ? ", " : ",", ": "];
  return { none: "null", yes: "true", no: "false", text, tuple: false, comma, colon, sorted: sort_keys?.value, step };
}

/** As Python's repr() or json.dumps(). @param {Value} value @param {Style} style @param {string} [margin] @returns {string} */
function written({ type, value, hidden }, style, margin = "\n") {
  const inner = margin + style.step;
  const within = (/** @type {string} */ open, /** @type {string[]} */ parts, /** @type {string} */ close) =>
    style.step === undefined || parts.length === 0
      ? open + parts.join(style.comma) + close
      : open + inner + parts.join(style.comma + inner) + margin + close;
  const each = (/** @type {Value} */ item) => written(item, style, inner);
  if (hidden) refuse("to print an iterator");
  if (type === "StringValue") return style.text(value);
  if (type === "BooleanValue") return value ? style.yes : style.no;
  if (type === "NullValue") return style.none;
  if (type === "IntegerValue" && Number.isSafeInteger(value)) return String(value);
  if (type === "FloatValue" && Number.isFinite(value)) return floatText(value);
  if (type === "TupleValue" && style.tuple) return within("(", value.map(each), value.length === 1 ? ",)" : ")");
  if (type === "ArrayValue" || type === "TupleValue") return within("[", value.map(each), "]");
  if (type !== "ObjectValue") refuse(`to print ${type === "IntegerValue" ? "a number over 2 ** 53" : type}`);
  const keys = style.sorted ? [...value.keys()].sort() : [...value.keys()];
  return within("{", keys.map((key) => style.text(key) + style.colon + each(value.get(key))), "}");
}

/** @param {number} value */
function floatText(value) {
  const [digits, exponent] = value.toExponential().split("e");
  const size = Math.abs(Number(exponent));
  if (Number(exponent) < -4 || Number(exponent) >= 16) return `${digits}e${exponent[0]}${twoDigits(size)}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

const ESCAPES = /** @type {Readonly<Record<string, string>>} */ ({ "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" });

/** A text as Python shows it. @param {string} text */
function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const shown = text.replace(/[\\'\p{C}\p{Z}]/gu, (each) => {
    if (each === " " || (each === "'" && quote === '"')) return each;
    if (each === "'") return "\\'";
    const hex = /** @type {number} */ (each.codePointAt(0)).toString(16);
    return ESCAPES[each] ?? (hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : hex.length > 2 ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`);
  });
  return quote + shown + quote;
}
