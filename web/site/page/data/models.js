// The choices: the encodings that ship, the models that use them, and tokenizers that were opened on the page.

import { models } from "../../package/lib/openai-models.js";
import { read } from "../input/files.js";
import { imported } from "./imported.js";
import { folderOf, isBeside, isOurs } from "./kinds.js";

/**
 * The encodings that ship: what they are known for, bytes of the file, and the model that people pay for.
 * @type {Readonly<Record<string, { known: string, bytes: number, sold?: string }>>}
 */
export const SHIPPED = Object.freeze({
  cl100k_base: { known: "GPT-4", bytes: 420_896, sold: "gpt-4" },
  o200k_base: { known: "GPT-4o and 5", bytes: 838_116, sold: "gpt-4o" },
  wwho_128k: { known: "WWHO, small", bytes: 548_788 },
  wwho_131k_indic: { known: "WWHO, 14 languages and code", bytes: 2_050_856 },
  wwho_200k_indic: { known: "WWHO, 20 languages", bytes: 953_896 },
  wwho_328k: { known: "WWHO", bytes: 1_276_396 },
  wwho_400k: { known: "WWHO, 67 scripts", bytes: 1_689_540 },
  wwho_super_328k: { known: "WWHO superwords", bytes: 1_357_616 },
  wwho_super_400k: { known: "WWHO superwords, 67 scripts", bytes: 1_708_520 },
});
/** What the user chooses, in place of a tokenizer, to open one from a file. */
export const FROM_FILE = "from its file";
/** The default of each row. */
export const FIRST = Object.freeze(["cl100k_base", "o200k_base", "wwho_328k"]);
/** The order in which the rows are fetched: the tokenizer that most people use comes first. */
export const ORDER = Object.freeze([1, 0, 2]);
/** File names that do not say whose tokenizer it is. */
const ANYONES = /^(tokenizer(\.model)?|tekken|vocab|spiece|spm|sentencepiece(\.bpe)?|tiktoken)$/i;
/** Which models to offer: no dated names, no models for special purposes, and not Azure's gpt-35-turbo beside gpt-3.5-turbo. */
const USUAL = /^(gpt-(?!35)\d[\d.]*o?|o\d)(-mini|-nano|-turbo)?$/;

/** @typedef {{ label: string, encoding: string, price?: number, priced?: string }} Choice `price`: dollars for a million tokens of input of the model `priced` */

/** OpenAI's models. @type {Readonly<Record<string, { encoding: string, price?: { input: number } }>>} */
const FACTS = models;
/** @type {ReadonlyMap<string, Choice>} models by their names in the API, the newest first */
export const MODELS = new Map(
  Object.entries(FACTS)
    .filter(([id, { encoding, price }]) => USUAL.test(id) && encoding in SHIPPED && price)
    .map(([id, { encoding, price }]) => /** @type {const} */ ([id, { label: labelOf(id), encoding, price: price?.input, priced: labelOf(id) }]))
    .sort(([a], [b]) => b.localeCompare(a, "en", { numeric: true })),
);

/**
 * Return the name of a model for readers.
 * @param {string} id such as gpt-5-mini
 * @returns {string} such as GPT-5 mini, and o4-mini, as OpenAI writes it
 */
function labelOf(id) {
  if (!id.startsWith("gpt-")) return id;
  const [first, ...rest] = id.split(/-(?=[a-z])/);
  return [first.replace("gpt", "GPT"), ...rest.map((word) => word.replace("turbo", "Turbo"))].join(" ");
}

/**
 * Return what a row shows and opens for a choice.
 * @param {string} id an encoding, a model, or a tokenizer opened here
 * @returns {Choice}
 */
export function choiceOf(id) {
  const { known = recognized.get(id) ?? id, sold = "" } = SHIPPED[id] ?? {};
  const { price, priced } = MODELS.get(sold) ?? {};
  return MODELS.get(id) ?? { label: known, encoding: id, ...(price !== undefined && { price, priced }) };
}

/**
 * Tell whether a link may name a choice: others would not find a tokenizer that is only here.
 * @param {string} id
 * @returns {boolean}
 */
export const isKnown = (id) => id in SHIPPED || MODELS.has(id);

/** @type {Map<string, Promise<Uint8Array<ArrayBuffer>>>} the files, by name; one that failed may be tried again */
const files = new Map();
/** The previous download: one at a time, so that the first is complete soonest. @type {Promise<unknown>} */
let before = Promise.resolve();

/** How the imported tokenizers lose text, by name. @type {Map<string, readonly string[]>} */
const losses = new Map();

/**
 * Return how a tokenizer loses text, as far as is known here.
 * @param {string} name
 * @returns {readonly string[]} in words; none of a tokenizer that was not imported here
 */
export const lossesOf = (name) => losses.get(name) ?? [];

/** The well-known tokenizers that those opened here are, by name. @type {Map<string, string>} */
const recognized = new Map();

/**
 * Note which well-known tokenizer one that was opened here is, if its file and folder did not say: one with as many ids, and as many tokens
 * for each of the parallel sentences.
 * @param {string} name
 * @param {number} ids
 * @param {readonly number[]} counts tokens of each parallel sentence
 */
export async function recognize(name, ids, counts) {
  if (name in SHIPPED || !ANYONES.test(name.replace(/ \(\d+\)$/, ""))) return;
  // Without a network, it keeps the name of its file.
  const { GALLERY } = await import("./gallery.js").catch(() => ({ GALLERY: [] }));
  const same = GALLERY.find((each) => each.ids === ids && each.tokens.join() === counts.join());
  if (same) recognized.set(name, same.name);
}

/**
 * Return the names of the tokenizers that were opened here.
 * @returns {string[]}
 */
export const own = () => [...files.keys()].filter((name) => !(name in SHIPPED));

/**
 * Return the file of a tokenizer, fetched once and kept for all the Workers that will want it; downloads run one at a time.
 * @param {string} name
 * @param {(progress: { name: string, loaded: number, total: number }) => void} onProgress called with bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function fetchModel(name, onProgress) {
  let file = files.get(name);
  if (file === undefined) {
    file = before.then(() => fetched(name, onProgress));
    files.set(name, file);
    before = file.catch(() => files.delete(name));
  }
  return file;
}

/**
 * Fetch the file of a tokenizer that ships, and report progress.
 * @param {string} name
 * @param {Parameters<typeof fetchModel>[1]} onProgress
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Error} it cannot be fetched
 */
async function fetched(name, onProgress) {
  const url = new URL(`../../package/models/${encodeURIComponent(name)}.wwho`, import.meta.url);
  const response = await fetch(url).catch((cause) => {
    throw new Error(`cannot fetch ${name}.wwho: ${cause.message}; is the network there?`);
  });
  if (!response.ok || !response.body) throw new Error(`cannot fetch ${name}.wwho: HTTP status ${response.status}, expected 200`);
  // The server states the length of the compressed file, but what is read here is decompressed.
  const total = SHIPPED[name]?.bytes ?? 0;
  let loaded = 0;
  const counting = new TransformStream({
    transform(chunk, controller) {
      onProgress({ name, loaded: (loaded += chunk.length), total });
      controller.enqueue(chunk);
    },
  });
  const body = new Response(response.body.pipeThrough(counting)).arrayBuffer();
  return new Uint8Array(
    await body.catch((cause) => {
      throw new Error(`${name}.wwho ended early: ${cause.message}; is the network there?`);
    }),
  );
}

/** @typedef {{ name: string, blob: Uint8Array<ArrayBuffer>, report?: import("./imported.js").Report }} Added `report` of one that was imported */

/**
 * Add a tokenizer that the user opened.
 * @param {import("../input/files.js").Found} given
 * @param {readonly import("../input/files.js").Found[]} found what was opened with it; of that, what lies beside it belongs to it
 * @param {(what: string) => void} onStep called with what is being done
 * @returns {Promise<Added>} with the name to choose it by
 * @throws {Error} it cannot be read or imported
 */
export async function addModel({ path, file }, found, onStep) {
  const folder = folderOf(path);
  const beside = found.filter((each) => isBeside(each.path) && each.path === folder + each.file.name).map((each) => each.file);
  const { blob, report } = isOurs(file.name) ? { blob: await artifact(file), report: undefined } : await imported(file, beside, onStep);
  const plain = file.name.replace(/(?<=.)\.[^.]*$/, "") || "mine";
  const wanted = ANYONES.test(plain) ? folder.split("/").at(-2) || (await nameIn(beside)) || plain : plain;
  let name = wanted;
  for (let i = 2; isKnown(name) || files.has(name); i++) name = `${wanted} (${i})`;
  files.set(name, Promise.resolve(blob));
  losses.set(name, report?.losses ?? []);
  return { name, blob, report };
}

/**
 * Return the name of the model in the files beside a tokenizer; undefined if they give none.
 * @param {readonly File[]} beside
 * @returns {Promise<string | undefined>}
 */
async function nameIn(beside) {
  const texts = await Promise.all(beside.map((file) => file.text()));
  const found = texts.map((text) => /"_?name_or_path": *"([^"\\]+)"/.exec(text)?.[1].split("/").at(-1));
  return found.find(Boolean);
}

/**
 * Read a .wwho file of the user; an error names the file.
 * @param {File} file
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Error} it cannot be read
 */
function artifact(file) {
  return read(file).catch((cause) => {
    throw new Error(`${file.name} ${cause.message}`, { cause });
  });
}

/**
 * Forget a tokenizer that cannot be opened, so that it can be tried again.
 * @param {string} name
 */
export const forget = (name) => files.delete(name);
