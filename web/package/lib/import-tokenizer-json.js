// A byte-level tokenizer.json as a .wwho file, in JavaScript: the same bytes as of `wwho import` in Python, or a Refusal.
//
// What must be compiled, patterns and normal forms, comes from files that tools/gen_import_patterns.py has made (shipped-patterns.js).

import { assemble, ByteWriter, sectionsOf } from "./artifact-bytes.js";
import {
  SECTION_ADDED,
  SECTION_AUTOMATA,
  SECTION_CLASSES,
  SECTION_MODEL,
  SECTION_NORMALIZER,
  SECTION_PROVENANCE,
  SECTION_ROUTES,
  SECTION_STEPS,
  SECTION_TEMPLATE,
} from "./header.js";
import { readBeside } from "./import-beside.js";
import { JsonReader, Refusal } from "./import-json.js";
import { writeModel } from "./import-model.js";
import { AddedTokens, isObject, MARKED, must, normalForm, pretokenizerKey, requireByteLevel, TAKES_SPACE, writeTemplate } from "./import-parts.js";
import { Vocabulary } from "./import-vocabulary.js";
import { bytesOfStandIns } from "./stand-ins.js";

/** @typedef {import("./import-vocabulary.js").Merges} Merges */
/** @typedef {{ kind: string, engine: string, notes: string[], losses: string[] }} Report */

/**
 * What a file needs: a pretokenizer by its key, a normal form ("" for none), and whether flags of added tokens need the properties of
 * characters.
 * @typedef {{ pretokenizer: string, form: string, isMarked: boolean }} Need
 */
/**
 * The compiled file of a pretokenizer, that of a normal form, and what the table says of them.
 * @typedef {object} Compiled
 * @property {Uint8Array} pattern
 * @property {Uint8Array} [form]
 * @property {string[][]} losses of the cuts, of the normal form, and of the steps after it
 * @property {string} kind what `wwho import` calls such a file
 * @property {Record<string, string>} record what it records beside the file's own facts
 */

/** The parts of a document, and the options of its model that may be anything but a vocabulary. */
const PARTS = new Set(["version", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder", "model", "truncation", "padding"]);
const MODEL_OPTIONS = new Set(["type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges"]);
const COMPONENTS = ["normalizer", "pre_tokenizer", "post_processor", "decoder"];
/** Why a part is left out. */
const IGNORED = { truncation: "the caller says how long a text may be", padding: "the caller says how rows are filled" };
/** Characters of JSON that the record may keep. */
const MOST_KEPT = 1 << 14;
/** What other kinds of JSON files begin with, and how far they are looked for. */
const [OTHERS, HEAD] = [/sebpe-v1|"merge_rules"/, 4096];

/**
 * Import a byte-level tokenizer.json: return the bytes of its .wwho file, and what a user should know of it.
 * @param {ReadonlyMap<string, Uint8Array>} files the tokenizer.json first, and the files beside it, by their names
 * @param {{ name: string, source: string, license: string }} options as for `wwho import`
 * @param {(need: Need) => Promise<Compiled | string>} compiled finds what is compiled; a text says why it cannot
 * @returns {Promise<{ bytes: Uint8Array<ArrayBuffer>, report: Report }>}
 * @throws {Refusal} if Python is to read it
 */
export async function importTokenizerJson(files, options, compiled) {
  const [[file, json], ...beside] = files;
  must(!["vocab.json", "vocab.txt"].includes(file), "its name says little");
  must([file, ...Object.values(options)].every((text) => !/\p{Cs}/u.test(text)), "a name is not Unicode");
  const { document, vocabulary, merges } = readDocument(json);
  const { model } = document;
  must(!("version" in document) || document.version === "1.0", "its version is another");

  const form = normalForm(document.normalizer);
  const pretokenizer = pretokenizerKey(document.pre_tokenizer);
  requireByteLevel(document.decoder);
  const { whole, unk } = modelOptions(model);
  const added = new AddedTokens(document.added_tokens, vocabulary, form !== "");
  const inModel = added.list().filter(({ text }) => tokenOf(text) >= 0 || vocabulary.others.has(text));
  must(!(whole && form && inModel.some(({ text }) => added.has(text, true))), "a special token is a token of the model, too");
  const settings = readBeside(new Map(beside), (text) => added.has(text));
  const isMarked = (added.flags & MARKED) !== 0;
  const found = await compiled({ pretokenizer, form, isMarked });
  if (typeof found === "string") throw new Refusal(found);

  const ids = new Set(added.list().map(({ id }) => id));
  const template = writeTemplate(document.post_processor, (id) => Number.isInteger(id) && (vocabulary.taken[id] === 1 || ids.has(id)));
  /** The tokens that are no tokens of the model if no merge makes them. */
  const apart = new Set(inModel.filter(({ text }) => !whole || added.has(text, true)).map(({ text }) => tokenOf(text)));
  const unknown = unk === undefined || whole ? -1 : tokenOf(unk);
  apart.add(unknown);
  const isUnknownHidden = unknown >= 0 && !isMade(unknown) && vocabulary.length(unknown) > 1;
  must(!isUnknownHidden || /^[ -~]*$/.test(/** @type {string} */ (unk)), "the unknown token has letters that stand for bytes");
  if (isUnknownHidden) added.hide([[/** @type {string} */ (unk), vocabulary.ids[unknown]]]);
  added.hide(vocabulary.others);
  const others = new Set(added.list().map(({ id }) => id));
  const section = writeModel(vocabulary, merges, { whole, isBeside: (token) => apart.has(token), added: others });
  for (const { text, id } of added.list()) {
    const token = tokenOf(text);
    must(token < 0 || vocabulary.ids[token] === id, "an added token has the id of another");
  }

  const { sections, properties } = compiledSections(found, isMarked);
  const components = componentsOf(document);
  const record = {
    name: options.name,
    source: options.source || file,
    license: options.license || "unknown",
    ...found.record,
    vocab_size: String(vocabulary.size + vocabulary.others.size),
    ...settings.record,
    ...(components === undefined ? {} : { components }),
  };
  sections.push([SECTION_MODEL, section], [SECTION_ADDED, added.section(properties)], [SECTION_PROVENANCE, provenance(record)]);
  if (template) sections.push([SECTION_TEMPLATE, template]);
  sections.sort(([a], [b]) => a - b);
  const takes = added.flags & TAKES_SPACE ? ["added tokens take the white space beside them"] : [];
  const [ofCuts, ...ofSteps] = found.losses;
  const report = {
    kind: found.kind,
    engine: found.record.engine,
    notes: [...omissions(document), ...settings.notes, ...movedNote(added.moved, found.record.engine)],
    losses: [...new Set([...ofCuts, ...takes, ...ofSteps.flat()])],
  };
  return { bytes: assemble(sections), report };

  /** Return the token that a text of the file is, or -1. @param {string} text */
  function tokenOf(text) {
    const bytes = bytesOfStandIns(text);
    return bytes ? vocabulary.tokenOf(bytes) : -1;
  }

  /** Return whether a merge makes a token, perhaps never. @param {number} token */
  function isMade(token) {
    return merges.wholes.includes(token);
  }
}

/**
 * Read the document, and its vocabulary into arrays.
 * @param {Uint8Array} json the bytes of the file
 * @returns {{ document: Record<string, any>, vocabulary: Vocabulary, merges: Merges }} the document with its parts in order, its model
 *   without vocab and merges
 * @throws {Refusal} if it is no JSON, has a part or an option of the model that is not known, or lacks a vocabulary before its merges
 */
function readDocument(json) {
  const head = String.fromCharCode(...json.subarray(0, HEAD));
  must(/^(\xef\xbb\xbf)?\s{0,99}\{/.test(head) && !OTHERS.test(head), "it is no tokenizer.json");
  const reader = new JsonReader(json);
  const vocabulary = new Vocabulary();
  /** @type {Merges | undefined} */
  let merges;
  const document = Object.create(null);
  reader.object((key) => {
    must(PARTS.has(key), `${key} is no part of a tokenizer.json`);
    if (key !== "model") {
      document[key] = reader.value();
      return;
    }
    document.model = Object.create(null);
    reader.object((option) => {
      if (option === "vocab") vocabulary.read(reader);
      else if (option === "merges") {
        must(vocabulary.size, "its merges come before its vocabulary");
        merges = vocabulary.readMerges(reader);
      } else {
        must(MODEL_OPTIONS.has(option), `the option ${option} of the model is not known here`);
        document.model[option] = reader.value();
      }
    });
  });
  reader.end();
  must(isObject(document.model) && merges, "it has no model of merges");
  return { document, vocabulary, merges };
}

/**
 * Return what the options of a model, which must be a BPE over bytes, say.
 * @param {Record<string, any>} model the model of the document, without its vocabulary and merges
 * @returns {{ whole: boolean, unk: string | undefined }} whether a pretoken that is a token is that token; the token that stands for
 *   unknown text, which there is none of
 */
function modelOptions(model) {
  must((model.type ?? "BPE") === "BPE" && (model.dropout ?? null) === null, "its model is no BPE, or has a dropout");
  must(!("type" in model) || model.type === "BPE", "the type of its model is null");
  for (const option of ["fuse_unk", "ignore_merges", "byte_fallback"]) {
    must([null, undefined, true, false].includes(model[option]), `${option} is not true or false`);
  }
  must(!model.byte_fallback, "it has tokens of bytes");
  for (const option of ["continuing_subword_prefix", "end_of_word_suffix"]) must((model[option] ?? "") === "", "its symbols have affixes");
  const unk = model.unk_token ?? undefined;
  must(unk === undefined || typeof unk === "string", "the unknown token is no text");
  return { whole: model.ignore_merges === true, unk };
}

/**
 * Return the sections that are compiled, with the step of the normal form among their steps, and the properties of characters.
 * @param {Compiled} found the compiled files
 * @param {boolean} isMarked whether the properties are needed
 * @returns {{ sections: [number, Uint8Array][], properties: Uint8Array }} pairs of a kind and its bytes, not in order: CLASSES, AUTOMATA,
 *   ROUTES, STEPS and, if a step comes before the cuts, NORMALIZER; a byte for each class, none if they are not needed
 * @throws {Refusal} if a compiled file is of another version
 */
function compiledSections({ pattern, form }, isMarked) {
  const of = new Map(sectionsOf(pattern));
  must(of.size, "the file of its pattern is of another version");
  const section = (/** @type {number} */ kind) => /** @type {Uint8Array} */ (of.get(kind));
  /** @type {[number, Uint8Array][]} */
  const sections = [SECTION_CLASSES, SECTION_AUTOMATA, SECTION_ROUTES].map((kind) => [kind, section(kind)]);
  const steps = stepsOf(section(SECTION_STEPS));
  const second = of.has(SECTION_NORMALIZER) ? 1 : 0; // the step that puts a space in front comes after the normal form
  const first = [];
  if (form) {
    const its = new Map(sectionsOf(form));
    must(its.size, "the file of its normal form is of another version");
    first.push(steps.length - second);
    steps.splice(steps.length - second, 0, /** @type {Uint8Array} */ (stepsOf(/** @type {Uint8Array} */ (its.get(SECTION_STEPS))).at(-1)));
  }
  const all = new ByteWriter();
  all.u16(steps.length);
  for (const step of steps) all.put(step);
  sections.push([SECTION_STEPS, all.bytes]);
  if (first.length + second) {
    const normalizer = new ByteWriter();
    normalizer.u8(first.length, second, 0, 0);
    normalizer.u16(...first, ...(second ? [steps.length - 1] : []));
    sections.push([SECTION_NORMALIZER, normalizer.bytes]);
  }
  const classes = section(SECTION_CLASSES);
  const added = section(SECTION_ADDED);
  return { sections, properties: isMarked ? added.subarray(added.length - (classes[0] | (classes[1] << 8))) : new Uint8Array() };
}

/**
 * Return the steps of a section STEPS, each with its head and its own bytes, as views of it.
 * @param {Uint8Array} section a valid one
 * @returns {Uint8Array[]}
 */
function stepsOf(section) {
  const view = new DataView(section.buffer, section.byteOffset, section.length);
  const found = [];
  for (let at = 2; at < section.length; ) {
    const end = at + 24 + view.getUint32(at + 20, true);
    found.push(section.subarray(at, end));
    at = end;
  }
  return found;
}

/**
 * Return all of a document but its vocabulary, as JSON, for the record; undefined if it is long.
 * @param {Record<string, any>} document
 */
function componentsOf(document) {
  const kept = COMPONENTS.filter((name) => (document[name] ?? null) !== null).map((name) => [name, document[name]]);
  const text = JSON.stringify(Object.fromEntries([...kept, ["model", document.model]]));
  return text.length > MOST_KEPT && [...text].length > MOST_KEPT ? undefined : text;
}

/** Return the section PROVENANCE. @param {Record<string, string>} record whose keys are ASCII */
function provenance(record) {
  const members = Object.keys(record).sort().map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`);
  return new TextEncoder().encode(`{${members.join(",")}}`);
}

/** Return notes on parts that are left out. @param {Record<string, any>} document */
function omissions(document) {
  return Object.entries(IGNORED).filter(([key]) => (document[key] ?? null) !== null).map(([key, why]) => `ignored: ${key}; ${why}`);
}

/** Return a note if added tokens have other ids than the file says. @param {number} moved how many @param {string} engine */
function movedNote(moved, engine) {
  const why = `${engine} gives a token that the model has the model's id, and the others the next ones`;
  return moved ? [`${moved} added tokens have other ids than the file says: ${why}`] : [];
}
