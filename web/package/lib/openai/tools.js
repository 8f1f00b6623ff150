// What definitions of tools cost. OpenAI does not say how a model reads them: functions are counted in the form that models are known to
// get, a TypeScript namespace; what that form has no place for is counted as JSON, and custom tools like functions of a string. Estimates.

import { argumentError } from "../arguments.js";
import { requireFields, textIn, typeOfKnown } from "./fields.js";

/** @typedef {import("./pieces.js").Piece} Piece */
/** @typedef {{ name: string, description?: string, parameters?: any, isCustom?: boolean, texts: string[] }} Definition `texts`: what has no place in the form */

/** The keywords of a schema that are shown, by its type; of a schema without a type: "none". @type {Readonly<Record<string, readonly string[]>>} */
const SHOWN = {
  string: ["enum"],
  integer: ["enum"],
  number: ["enum"],
  array: ["items"],
  object: ["properties", "required"],
  none: ["anyOf"],
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
  if (parameters !== undefined && (typeof parameters !== "object" || Array.isArray(parameters))) throw argumentError(`the parameters of ${name}`, parameters, "a JSON schema");
  const type = parameters?.type ?? "object";
  if (type !== "object") throw argumentError(`the type of the parameters of ${name}`, type, '"object"');
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
  if (format !== undefined && format !== null && typeOfKnown(format, "format") === "grammar") {
    const grammar = format.grammar ?? format; // Chat Completions, Responses
    if (format.grammar) requireFields(grammar, "grammar of a custom tool");
    texts.push(textIn(grammar, "syntax", "grammar"), textIn(grammar, "definition", "grammar"));
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
  const type = typeof choice === "object" ? (choice.type ?? "function") : choice;
  if (type !== "function" && type !== "custom") {
    throw argumentError("tool_choice", type, '"auto", "none", "required", or a function or a custom tool by its name');
  }
  requireFields(choice, "choice of a tool");
  const named = choice.function ?? choice.custom ?? choice;
  if (named !== choice) requireFields(named, "name in the choice of a tool");
  return [textIn(named, "name", "choice of a tool"), { cost: 4, of: "the choice of a tool" }];
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
    const empty = propertiesIn(parameters ?? {}).length === 0;
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
function fieldsOf(schema, indent, texts) {
  const margin = " ".repeat(indent);
  const needed = listIn(schema, "required") ?? [];
  const lines = propertiesIn(schema).map(([name, each]) => {
    const type = typeOf(each, indent, texts);
    const description = each.description === undefined ? "" : textIn(each, "description", "schema");
    const comment = description && indent < 2 ? `${margin}// ${description}\n` : "";
    return `${comment}${margin}${name}${needed.includes(name) ? "" : "?"}: ${type},`;
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
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw argumentError("a schema", schema, "an object, as JSON Schema has it");
  if (Array.isArray(schema.type)) return schema.type.map((/** @type {any} */ each) => typeOf({ ...schema, type: each }, indent, texts)).join(" | ");
  const type = schema.type === undefined ? "none" : textIn(schema, "type", "schema");
  const [values, choices] = [listIn(schema, "enum"), listIn(schema, "anyOf")];
  texts.push(...restOf(schema, Object.hasOwn(SHOWN, type) ? SHOWN[type] : []));
  switch (type) {
    case "string":
      return values?.map((value) => JSON.stringify(value)).join(" | ") ?? "string";
    case "integer":
    case "number":
      return values?.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" | ") ?? "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return schema.items ? `${typeOf(schema.items, indent, texts)}[]` : "any[]";
    case "object":
      return `{\n${fieldsOf(schema, indent + 2, texts)}\n${" ".repeat(indent)}}`;
    case "none":
      return choices?.map((each) => typeOf(each, indent, texts)).join(" | ") ?? "any";
    default:
      return "any";
  }
}

/**
 * Return the properties of an object's schema: pairs of a name and a schema.
 * @param {any} schema
 * @returns {[string, any][]}
 * @throws {import("../errors.js").WwhoError} ARGUMENT for what is no object
 */
function propertiesIn({ properties }) {
  if (typeof (properties ?? {}) === "object" && !Array.isArray(properties)) return Object.entries(properties ?? {});
  throw argumentError("the properties of a schema", properties, "an object");
}

/**
 * Return a keyword of a schema that must be a list.
 * @param {any} schema
 * @param {string} name of the keyword
 * @returns {any[] | undefined} undefined for none
 * @throws {import("../errors.js").WwhoError} ARGUMENT for another value
 */
function listIn(schema, name) {
  const value = schema[name];
  if (value === undefined || Array.isArray(value)) return value;
  throw argumentError(`the ${name} of a schema`, value, "a list");
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
