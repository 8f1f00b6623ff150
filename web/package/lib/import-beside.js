// The files beside a tokenizer.json, for wwho/import: what of their settings a model's record keeps.

import { JsonReader } from "./import-json.js";
import { isObject, must } from "./import-parts.js";

/** What stands in the place of a file that was not fetched. */
const NO_CONTENT = /^\s*(?:version https|<)/;

/** Values of `model_type` in config.json of models whose tokenizer.json may have a pattern that is known to be wrong. */
const MISTRAL = new Set([undefined, null, "mistral", "mistral3", "voxtral", "ministral", "pixtral"]);

/**
 * Return the settings in a file beside a tokenizer.json.
 * @param {Uint8Array} file
 * @returns {Record<string, any>}
 * @throws {import("./import-json.js").Refusal} if it is damaged
 */
function settingsOf(file) {
  const reader = new JsonReader(file, true);
  const settings = reader.value();
  reader.end();
  must(isObject(settings), "a file of settings is no object");
  return settings;
}

/** Compare texts by their UTF-16 units; in all that are told here it is as by code points. @param {string} a @param {string} b */
const byText = (a, b) => (a < b ? -1 : 1);

/**
 * Return a value as Python writes it: in ASCII, with spaces.
 * @param {any} value of texts, lists and objects
 * @returns {string}
 * @throws {import("./import-json.js").Refusal} if it has anything else, or an object has a key of digits alone, which JavaScript moves
 */
function pythonJson(value) {
  if (typeof value === "string") {
    return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  must(isObject(value) && !Object.keys(value).some((key) => /^[0-9]+$/.test(key)), "a chat template is odd");
  return `{${Object.entries(value).map(([key, each]) => `${pythonJson(key)}: ${pythonJson(each)}`).join(", ")}}`;
}

/**
 * Return what files beside a tokenizer.json say.
 * @param {ReadonlyMap<string, Uint8Array>} files by their names
 * @param {(text: string) => boolean} isListed whether the tokenizer.json has an added token
 * @returns {{ record: Record<string, string>, notes: string[] }} the tokens with roles and the chat template, by the names of their
 *   settings; a note on added tokens that the tokenizer.json lacks
 * @throws {import("./import-json.js").Refusal} if a file is damaged, or may change how text is cut
 */
export function readBeside(files, isListed) {
  const model = files.get("config.json");
  must(!model || !MISTRAL.has(settingsOf(model).model_type), "config.json beside it may ask for another pattern");
  /** @type {Record<string, string>} */
  const record = {};
  /** @type {string[]} */
  const notes = [];
  const config = files.get("tokenizer_config.json");
  if (config) {
    const settings = settingsOf(config);
    for (const [key, value] of Object.entries(settings)) {
      const text = isObject(value) ? value.content : value;
      if (!key.endsWith("_token") || typeof text !== "string") continue;
      must(/^[!-~]+$/.test(key), "the name of a setting is no ASCII");
      record[key] = text;
    }
    const template = settings.chat_template;
    // An empty list or object is none to Python.
    const isEmpty = !template || (typeof template === "object" && Object.keys(template).length === 0);
    if (!isEmpty) record.chat_template = typeof template === "string" ? template : pythonJson(template);
    const named = Object.keys(settings).filter((key) => key.endsWith("_token")).map((key) => settings[key]);
    for (const key of ["added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"]) {
      const value = settings[key];
      if (isObject(value)) named.push(...Object.values(value));
      else if (Array.isArray(value)) named.push(...value);
    }
    const texts = named.map((each) => (isObject(each) ? each.content : each)).filter((text) => typeof text === "string" && text !== "");
    must(texts.every((text) => !/[\ud800-\udfff]/.test(text)), "an added token of tokenizer_config.json is odd");
    const beyond = [...new Set(texts)].filter((text) => !isListed(text)).sort(byText);
    if (beyond.length) {
      notes.push(`left out: ${beyond.join(", ")}; tokenizer_config.json lists them, and this file does not (wwho.hf adds them)`);
    }
  }
  const template = files.get("chat_template.jinja");
  if (template) {
    let text = "";
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(template);
    } catch {
      must(false, "chat_template.jinja is not UTF-8");
    }
    must(!NO_CONTENT.test(text), "chat_template.jinja may be no template");
    record.chat_template = text;
  }
  return { record, notes };
}
