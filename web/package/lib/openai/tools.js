// What definitions of tools cost. OpenAI does not say how a model reads them: functions are counted in the form that models are known to
// get, a TypeScript namespace; what that form has no place for is counted as JSON, and custom tools like functions of a string. Estimates.

import { argumentError } from "../arguments.js";
import { requireFields, textIn, typeOfKnown } from "./fields.js";

/** @typedef {import("./pieces.js").Piece} Piece */
/** @typedef {{ name: string, description?: string, parameters?: any, isCustom?: boolean, texts: string[] }} Definition `texts`: what has no place in the form */

/** The keywords of a schema that are shown, by its type; "" is a schema without a type. @type {Readonly<Record<string, readonly string[]>>} */
const SHOWN = {
  string: ["enum"],
  integer: ["enum"],
  number: ["enum"],
  array: ["items"],
  object: ["properties", "required"],
  "": ["anyOf"],
};
/** Those that cost nothing for any type: the type is shown, a description is shown for properties alone, the others are for the reader. */
const ALWAYS = ["type", "description", "$schema"];

/**
 * Return the definitions of tools in options, in the old form and the new ones.
 * @param {any} options `tools` and `functions`
 * @returns {Definition[]}
 * @throws {import("../errors.js").WwhoError} ARGUMENT for what is no list, and for tools and fields that cannot be counted
 */
export function toolsIn({ tools, functions }) {
  for (const [what, list] of Object.entries({ tools, functions })) {
    if (list !== undefined && list !== null && !Array.isArray(list)) throw argumentError(what, list, "a list of definitions");
  }
  return [...(functions ?? []).map(functionIn), ...(tools ?? []).map(toolIn)];
}

/**
 * Return the definition in an element of `tools`: of Chat Completions, where it stands in a field, of Responses, or of a function alone.
 * @param {any} tool
 * @returns {Definition}
 */
function toolIn(tool) {
  if (tool?.type === undefined) return functionIn(tool);
  if (tool.type === "function") {
    if (tool.function === undefined) return functionIn(tool);
    typeOfKnown(tool, "tool");
    return functionIn(tool.function);
  }
  if (tool.type === "custom" && tool.custom === undefined) return customIn(tool);
  typeOfKnown(tool, "tool");
  return customIn(tool.custom);
}

/**
 * Return the definition of a function.
 * @param {any} definition
 * @returns {Definition}
 */
function functionIn(definition) {
  requireFields(definition, "definition of a function");
  const name = textIn(definition, "name", "function");
  const parameters = definition.parameters ?? undefined;
  if (parameters !== undefined && typeof parameters !== "object") throw argumentError(`the parameters of ${name}`, parameters, "a JSON schema");
  return { name, description: descriptionIn(definition), parameters, texts: restOf(parameters ?? {}, SHOWN.object) };
}

/**
 * Return the definition of a custom tool, whose input is a text; its grammar is a text of its own.
 * @param {any} definition
 * @returns {Definition}
 */
function customIn(definition) {
  requireFields(definition, "definition of a custom tool");
  const { format } = definition;
  const texts = [];
  if (format?.type === "grammar") {
    requireFields(format, "format of a custom tool");
    const grammar = format.grammar ?? format; // Chat Completions, Responses
    if (format.grammar) requireFields(grammar, "grammar of a custom tool");
    texts.push(textIn(grammar, "syntax", "grammar"), textIn(grammar, "definition", "grammar"));
  } else if (format !== undefined && format !== null && format.type !== "text") {
    throw argumentError("the format of a custom tool", format.type, 'one of type "text" or "grammar"');
  }
  return { name: textIn(definition, "name", "custom tool"), description: descriptionIn(definition), isCustom: true, texts };
}

/** Return the description in a definition, undefined for none. @param {any} definition @returns {string | undefined} */
const descriptionIn = (definition) => ((definition.description ?? undefined) === undefined ? undefined : textIn(definition, "description", "tool"));

/**
 * Return what definitions cost: their namespace, its place in a system message, and texts that have no place in it.
 * @param {Definition[]} tools none cost nothing
 * @param {boolean} withSystem whether there is a system message; without one, it costs 4 more
 * @returns {Piece[]}
 */
export function toolPieces(tools, withSystem) {
  if (tools.length === 0) return [];
  /** @type {string[]} */
  const texts = [];
  const namespace = namespaceOf(tools, texts);
  return [namespace, ...tools.flatMap((tool) => tool.texts), ...texts, { cost: withSystem ? 5 : 9, of: "tools" }];
}

/**
 * Return what the choice of a tool costs: 4 and the name of a tool that must be called, 1 for "none", otherwise nothing.
 * @param {any} options `tool_choice`, or `function_call` in the old form
 * @returns {Piece[]}
 * @throws {import("../errors.js").WwhoError} ARGUMENT for another choice
 */
export function choicePieces({ function_call: call, tool_choice: choice = call }) {
  if (choice === undefined || choice === null || choice === "auto" || choice === "required") return [];
  if (choice === "none") return [{ cost: 1, of: "the choice of a tool" }];
  const type = choice.type ?? "function";
  const named = choice.function ?? choice.custom ?? choice;
  if ((type !== "function" && type !== "custom") || typeof named.name !== "string") {
    const shown = typeof choice === "object" ? choice.type : choice;
    throw argumentError("tool_choice", shown, '"auto", "none", "required", or a function or a custom tool by its name');
  }
  return [named.name, { cost: 4, of: "the choice of a tool" }];
}

/**
 * Return functions as the models are known to see them: a TypeScript namespace.
 * @param {Definition[]} tools
 * @param {string[]} texts to which is added what has no place in it
 * @returns {string}
 */
function namespaceOf(tools, texts) {
  const types = tools.map(({ name, description, parameters, isCustom }) => {
    const comment = description ? `// ${description}\n` : "";
    if (isCustom) return `${comment}type ${name} = (_: string) => any;\n\n`;
    const empty = Object.keys(parameters?.properties ?? {}).length === 0;
    return `${comment}type ${name} = ${empty ? "()" : `(_: {\n${fieldsOf(parameters, 0, texts)}\n})`} => any;\n\n`;
  });
  return `namespace functions {\n\n${types.join("")}} // namespace functions`;
}

/**
 * Return the properties of an object's schema as lines of a TypeScript type: "?" after those that are not required, and descriptions as
 * comments before those of the outermost level; models are known not to get the others.
 * @param {any} schema
 * @param {number} indent the lines' indentation in spaces
 * @param {string[]} texts to which is added what has no place there
 * @returns {string} "" without properties
 */
function fieldsOf({ properties, required }, indent, texts) {
  const margin = " ".repeat(indent);
  const lines = Object.entries(properties ?? {}).map(([name, /** @type {any} */ schema]) => {
    const comment = schema.description && indent < 2 ? `${margin}// ${schema.description}\n` : "";
    return `${comment}${margin}${name}${required?.includes(name) ? "" : "?"}: ${typeOf(schema, indent, texts)},`;
  });
  return lines.join("\n");
}

/**
 * Return the TypeScript type for a schema.
 * @param {any} schema JSON Schema; what has no type becomes "any"
 * @param {number} indent of the line in which the type stands, in spaces
 * @param {string[]} texts to which is added what has no place in the type
 * @returns {string} of several lines for an object
 */
function typeOf(schema, indent, texts) {
  if (typeof schema !== "object" || schema === null) throw argumentError("a schema", schema, "an object, as JSON Schema has it");
  const { type, enum: values, items, anyOf } = schema;
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each }, indent, texts)).join(" | ");
  texts.push(...restOf(schema, SHOWN[type ?? ""] ?? []));
  switch (type) {
    case "string":
      return values?.map((/** @type {any} */ value) => JSON.stringify(value)).join(" | ") ?? "string";
    case "integer":
    case "number":
      return values?.map((/** @type {any} */ value) => `${value}`).join(" | ") ?? "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return items ? `${typeOf(items, indent, texts)}[]` : "any[]";
    case "object":
      return `{\n${fieldsOf(schema, indent + 2, texts)}\n${" ".repeat(indent)}}`;
    case undefined:
      return anyOf?.map((/** @type {any} */ each) => typeOf(each, indent, texts)).join(" | ") ?? "any";
    default:
      return "any";
  }
}

/**
 * Return the keywords of a schema that have no place in a type as texts, JSON of each; those that are true or false have no text.
 * @param {Record<string, unknown>} schema
 * @param {readonly string[]} shown the keywords that have a place
 * @returns {string[]}
 */
function restOf(schema, shown) {
  return Object.entries(schema)
    .filter(([name, value]) => value !== undefined && typeof value !== "boolean" && ![...ALWAYS, ...shown].includes(name))
    .map(([name, value]) => JSON.stringify({ [name]: value }));
}
