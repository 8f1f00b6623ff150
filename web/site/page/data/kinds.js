// What the files are that are opened together: tokenizers, parts of a model, or texts. Only their names and folders tell.

/** @typedef {import("../input/files.js").Found} Found */

const OURS = /\.wwho$/i;
/** A file of another library, besides IN_FOLDERS; of a file that was chosen as a tokenizer, the importer finds out what it is. */
const FOREIGN = /^(tokenizer|tekken)[^/]*\.json$|\.(model|json\.gz)$/i;
/** Files next to a tokenizer that belong to it. */
const BESIDE = /^(tokenizer_config\.json|special_tokens_map\.json|chat_template\.jinja|merges\.txt|config\.json)$/i;
/** Other files that models are published with. */
const PUBLISHED = /^\.git|^(readme|licen[cs]e|notice|use_policy)\b|(_config|\.index|^added_tokens)\.json$|(?<!^tokenizer)\.(safetensors|bin|pth?|h5|onnx|msgpack)$/i;
/** Which file of a model's folder is its tokenizer: the first that is there; of several, by name. As in wwho.importers.detect. */
export const IN_FOLDERS = [
  ...["tokenizer.json", "tekken.json", "tokenizer.model", "tokenizer.model.v*", "spiece.model", "spm.model", "sentencepiece.model"],
  ...["sentencepiece.bpe.model", "*.tiktoken", "tiktoken.model", "vocab.json", "vocab.txt", "rwkv_vocab*.txt", "*.gguf"],
];
const PATTERNS = IN_FOLDERS.map((name) => new RegExp(`^${name.replaceAll(".", "\\.").replace("*", ".*")}$`, "i"));

/**
 * Return the last part of a path.
 * @param {string} path
 * @returns {string}
 */
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
/**
 * Return the folder of a path, with a slash at its end.
 * @param {string} path
 * @returns {string} "" for a file that came without a folder
 */
export const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);
/**
 * Tell whether a file is a .wwho file, by its name.
 * @param {string} path
 * @returns {boolean}
 */
export const isOurs = (path) => OURS.test(path);
/**
 * Tell whether a file belongs to the tokenizer beside it, by its name.
 * @param {string} path
 * @returns {boolean}
 */
export const isBeside = (path) => BESIDE.test(nameOf(path));
/**
 * Tell whether a file is one that models are published with, but not their tokenizer.
 * @param {string} path
 * @returns {boolean}
 */
const isPublished = (path) => isBeside(path) || PUBLISHED.test(nameOf(path));
/**
 * Return the place of a file in IN_FOLDERS, or -1.
 * @param {string} path
 * @returns {number}
 */
const rankOf = (path) => PATTERNS.findIndex((pattern) => pattern.test(nameOf(path)));
/**
 * Tell whether a file may be the one tokenizer of a model. A file without a folder and with a name of its own stands for itself.
 * @param {string} path
 * @returns {boolean}
 */
const isRanked = (path) => rankOf(path) >= 0 && (folderOf(path) !== "" || !IN_FOLDERS[rankOf(path)].includes("*"));
/**
 * Tell whether a file should be a tokenizer, by its name.
 * @param {string} path
 * @returns {boolean}
 */
const isModel = (path) => isOurs(path) || ((rankOf(path) >= 0 || FOREIGN.test(nameOf(path))) && !isBeside(path));

/**
 * Tell tokenizers from texts, and leave out what only accompanies a tokenizer: in a model's folder, and in those in it, everything.
 * @param {readonly Found[]} found @param {boolean} asked whether the user was asked for tokenizers
 * @returns {{ models: Found[], texts: Found[] }}
 */
export function sorted(found, asked) {
  const ranked = found.filter(({ path }) => isRanked(path)).sort((a, b) => rankOf(a.path) - rankOf(b.path) || (a.path < b.path ? -1 : 1));
  /** The tokenizer of each model's folder: of several entries, a Map keeps the last. */
  const chosen = new Map(ranked.reverse().map(({ path }) => [folderOf(path), path]));
  const models = found.filter(({ path, problem }) => !problem && (asked ? !isBeside(path) : isModel(path)));
  /** The folders in which there is any tokenizer. */
  const homes = new Set(models.filter(({ path }) => !isPublished(path)).map(({ path }) => folderOf(path)));
  const isOfModel = (/** @type {Found} */ { path }) =>
    (isPublished(path) && homes.has(folderOf(path))) ||
    (!isOurs(path) && [...chosen].some(([folder, one]) => path !== one && (folder ? path.startsWith(folder) : !folderOf(path) && isRanked(path))));
  return { models: models.filter((each) => !isOfModel(each)), texts: found.filter((each) => !models.includes(each) && !isOfModel(each)) };
}

/**
 * Return why a file that was chosen as a tokenizer is none alone.
 * @param {Found} file
 * @returns {string}
 */
export function partOf({ path }) {
  const isMerges = nameOf(path).toLowerCase() === "merges.txt";
  return `${nameOf(path)} ${isMerges ? "are the merges of a BPE; choose the vocab.json, too" : "belongs to a tokenizer; choose that, too"}`;
}
