#!/usr/bin/env node
// The command of the npm package, `npx wwho`: counts the tokens of files, and imports tokenizers. Options, output and exit codes are those of
// the Python package's command.

import { createReadStream } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { getSystemErrorMap, parseArgs } from "node:util";

import { ENCODINGS } from "../lib/shipped-modules.js";
import { getEncoding, Tokenizer, WwhoError } from "../node.js";

/** @typedef {NonNullable<import("node:util").ParseArgsConfig["options"]>} Options */
/** @typedef {{ file: string, bytes: number, tokens: number }} Row the size of a file, and how many tokens it has */
/** @typedef {Record<string, any>} Values of options, by their names */

const DEFAULT_MODEL = "wwho_328k";
const STANDARD_INPUT = "-";
/** The endings of files that the Python package's command reads otherwise than as plain text. */
const NO_PLAIN_TEXT = /\.(gz|xz|zst|jsonl|ndjson|parquet)$/i;
/** Files beside a tokenizer that an import reads where they are there. */
const COMPANIONS = ["added_tokens.json", "chat_template.jinja", "config.json", "merges.txt", "special_tokens_map.json", "tokenizer_config.json"];

const HELP = `\
usage: wwho [--help] [--version] COMMAND ...

Count the tokens of files, and turn other libraries' tokenizers into .wwho files.

  count [FILE ...]   count the tokens of files of plain text, and of all of them; - or no file is standard input
    --model NAME|FILE          a shipped encoding or a .wwho file (default ${DEFAULT_MODEL})
    --allowed-special all|TEXT read this special token as such, or all of them; may be given several times
    --json                     print {"files": [{"file", "bytes", "tokens"}], "bytes", "tokens"}

  import FILE        turn another library's tokenizer into a .wwho file that gives the same ids; all but a byte-level
                     tokenizer.json need Pyodide: npm install pyodide
    -o, --output X.wwho        the file to write (default: NAME.wwho here)
    --name NAME                the encoding's name (default: the output file's)
    --source TEXT              where the file comes from, for the record
    --license TEXT             its licence, for the record
    --pattern NAME|REGEX       for a rank file: o200k_base, cl100k_base, r50k_base or a regular expression
    --special TEXT=ID          for a rank file: a special token and its id; may be given several times
    --lowercase, --no-lowercase   for a vocab.txt: whether text is lower-cased
    --json                     print {"file", "bytes", "n_vocab", "kind", "engine", "notes", "losses"}

  $ npx wwho count --model o200k_base README.md LICENSE
  $ npx wwho import tokenizer.json -o my.wwho
  $ npx wwho count --model my.wwho README.md

exit codes: 0 success, 1 error in the data, 2 error in the command line, 130 Ctrl-C
The Python package's command has more: pip install wwho
`;

/** @type {Options} */
const COUNT_OPTIONS = {
  model: { type: "string", default: DEFAULT_MODEL },
  "allowed-special": { type: "string", multiple: true, default: [] },
  json: { type: "boolean", default: false },
};
/** @type {Options} */
const IMPORT_OPTIONS = {
  output: { type: "string", short: "o" },
  name: { type: "string" },
  source: { type: "string" },
  license: { type: "string" },
  pattern: { type: "string" },
  special: { type: "string", multiple: true, default: [] },
  lowercase: { type: "boolean" },
  "no-lowercase": { type: "boolean" },
  json: { type: "boolean", default: false },
};

/** A command line that makes no sense. */
class UsageError extends Error {}

/**
 * Count the tokens of files, and print a line for each, and one for all of several.
 * @param {string[]} files paths; "-" for standard input, as is none at all
 * @param {Values} options of COUNT_OPTIONS
 * @throws {WwhoError} if the model cannot be loaded, or lacks a special token, or a file holds no plain text by its name; an error of the file
 *   system if a file cannot be read
 */
async function count(files, options) {
  const names = files.length ? files : [STANDARD_INPUT];
  for (const name of names) if (name !== STANDARD_INPUT) await requirePlainText(name); // before the first is read
  const tokenizer = await openModel(options.model);
  const allowedSpecial = options["allowed-special"].includes("all") ? "all" : options["allowed-special"];
  /** @type {Row[]} */
  const rows = [];
  for (const file of names) {
    const row = { file, bytes: 0, tokens: 0 };
    row.tokens = await tokenizer.countStream(readInto(row), { allowedSpecial });
    rows.push(row);
  }
  const sum = (/** @type {"bytes" | "tokens"} */ key) => rows.reduce((total, row) => total + row[key], 0);
  const total = { file: "total", bytes: sum("bytes"), tokens: sum("tokens") };
  if (options.json) return print([JSON.stringify({ files: rows, bytes: total.bytes, tokens: total.tokens })]);
  const printed = rows.length > 1 ? [...rows, total] : rows;
  return print(printed.map(({ file, tokens }) => `${String(tokens).padStart(12)}  ${file}`));
}

/**
 * Return if there is a file of this name that holds plain text, as far as its name tells.
 * @param {string} name
 * @throws {WwhoError} ARGUMENT if it is compressed, or holds texts in fields; an error of the file system if there is none
 */
async function requirePlainText(name) {
  await stat(name);
  const [ending] = NO_PLAIN_TEXT.exec(name) ?? [];
  if (ending) throw new WwhoError("ARGUMENT", `${name}: expected plain text, not ${ending}, which the Python package's command reads: pip install wwho`);
}

/**
 * Yield the bytes of a file in chunks, and add the size of each to its row.
 * @param {Row} row
 * @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>}
 */
async function* readInto(row) {
  try {
    for await (const chunk of row.file === STANDARD_INPUT ? process.stdin : createReadStream(row.file)) {
      row.bytes += chunk.length;
      yield chunk;
    }
  } catch (/** @type {any} */ error) {
    error.path ??= row.file; // which is not in the error for a folder
    throw error;
  }
}

/**
 * Load a tokenizer: a shipped encoding, or a .wwho file.
 * @param {string} model a name, or a path
 * @throws {WwhoError} ARGUMENT if it is neither; otherwise as Tokenizer.load, with the path
 */
async function openModel(model) {
  if (Object.hasOwn(ENCODINGS, model)) return getEncoding(model);
  if (!(await isFile(model))) {
    throw new WwhoError("ARGUMENT", `there is no encoding and no file '${model}'; give one of ${Object.keys(ENCODINGS).join(", ")}, or a path to a .wwho file`);
  }
  try {
    return await Tokenizer.load(model);
  } catch (/** @type {any} */ cause) {
    throw cause.status === "FETCH" ? cause : new WwhoError(cause.status, `${model}: ${cause.message}`, { cause });
  }
}

/**
 * Return whether a path leads to a file, and to no folder.
 * @param {string} path
 */
async function isFile(path) {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}

/**
 * Import a tokenizer, write the .wwho file, and print what is in it and what is lost.
 * @param {string[]} files the tokenizer's file alone
 * @param {Values} options of IMPORT_OPTIONS
 * @throws {WwhoError} IMPORT if the file cannot be imported, FETCH if it or Pyodide cannot be read; an error of the file system if the output
 *   cannot be written
 */
async function importFile(files, options) {
  if (files.length !== 1) throw new UsageError(`import takes one file, got ${files.length}; files beside it are found by their names`);
  const [file] = files;
  const output = options.output ?? `${options.name ?? basename(file, extname(file))}.wwho`;
  if (resolve(output) === resolve(file)) throw new UsageError(`-o ${output} is a file that is read; name another`);
  const { importTokenizer } = await import("../node-import.js");
  /** @type {import("../import.js").ImportReport | undefined} */
  let report;
  const bytes = await importTokenizer([file, ...(await findCompanions(file))], {
    name: options.name ?? basename(output, ".wwho"),
    source: options.source ?? "",
    license: options.license,
    pattern: options.pattern,
    special: readSpecials(options.special),
    lowercase: options["no-lowercase"] ? false : options.lowercase,
    onReport: (told) => (report = told),
  });
  await writeWhole(output, bytes);
  const { nVocab } = Tokenizer.loadSync(bytes).info;
  const { kind, engine, notes, losses } = /** @type {import("../import.js").ImportReport} */ (report);
  if (options.json) return print([JSON.stringify({ file: output, bytes: bytes.length, n_vocab: nVocab, kind, engine, notes, losses })]);
  const number = new Intl.NumberFormat("en");
  return print([
    `${output}: ${number.format(bytes.length)} bytes, ${number.format(nVocab)} ids`,
    engine ? `${kind}; ids as ${engine} gives them` : kind,
    ...notes,
    ...(losses.length ? losses.map((reason) => `loses text: ${reason}`) : ["lossless"]),
  ]);
}

/**
 * Return the paths of the files beside a tokenizer that belong to it.
 * @param {string} file
 * @returns {Promise<string[]>}
 */
async function findCompanions(file) {
  const paths = COMPANIONS.filter((name) => name !== basename(file)).map((name) => join(dirname(file), name));
  const found = await Promise.all(paths.map(isFile));
  return paths.filter((_, number) => found[number]);
}

/**
 * Return special tokens and their ids.
 * @param {string[]} given as TEXT=ID; the text may have equals signs
 * @returns {Record<string, number> | undefined} undefined if none is given
 * @throws {UsageError} for another form, and for a text that is given twice
 */
function readSpecials(given) {
  /** @type {Record<string, number>} */
  const ids = Object.create(null);
  for (const each of given) {
    const [, text, id] = /^(.+)=(\d+)$/s.exec(each) ?? [];
    if (id === undefined) throw new UsageError(`--special ${each}: expected TEXT=ID`);
    if (text in ids) throw new UsageError(`--special ${text} is given twice`);
    ids[text] = Number(id);
  }
  return given.length ? ids : undefined;
}

/**
 * Write a file whole or not at all.
 * @param {string} path
 * @param {Uint8Array} bytes
 */
async function writeWhole(path, bytes) {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(unfinished, bytes);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Write lines to standard output.
 * @param {string[]} lines
 */
function print(lines) {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** @type {Record<string, [Options, (files: string[], options: Values) => Promise<void>]>} */
const COMMANDS = { count: [COUNT_OPTIONS, count], import: [IMPORT_OPTIONS, importFile] };

/**
 * Run the command that arguments name.
 * @param {string[]} args what follows the program's name
 * @throws {UsageError} the arguments make no sense; also the errors of the command
 */
async function run(args) {
  const [name, ...rest] = args;
  if (args.includes("--help") || args.includes("-h")) return print([HELP.trimEnd()]);
  if (name === "--version") {
    const manifest = await readFile(new URL("../package.json", import.meta.url), "utf-8");
    return print([`wwho ${JSON.parse(manifest).version}`]);
  }
  if (!Object.hasOwn(COMMANDS, name ?? "")) {
    throw new UsageError(`expected a command, ${Object.keys(COMMANDS).join(" or ")}, got ${name ?? "none"}; wwho --help says more`);
  }
  const [options, command] = COMMANDS[name];
  let parsed;
  try {
    parsed = parseArgs({ args: rest, options, allowPositionals: true });
  } catch (/** @type {any} */ error) {
    throw new UsageError(error.message);
  }
  return command(parsed.positionals, parsed.values);
}

/**
 * Return what people are told of an error: of the file system's "FILE: reason", otherwise its message, in one line.
 * @param {any} error
 * @returns {string}
 */
function messageOf(error) {
  const reason = getSystemErrorMap().get(error.errno)?.[1];
  const message = reason && error.path ? `${error.path}: ${reason}` : reason ?? error.message ?? String(error);
  return message.trim().replace(/\s+/g, " ");
}

// The reader of standard output may go away before the end, as `head` does.
process.stdout.on("error", (/** @type {any} */ error) => process.exit(error.code === "EPIPE" ? 141 : 1));
process.on("SIGINT", () => process.exit(130));
try {
  await run(process.argv.slice(2));
} catch (/** @type {any} */ error) {
  const isUsage = error instanceof UsageError;
  // Anything else is a fault of this program, and its stack helps to find it.
  if (!isUsage && !(error instanceof WwhoError) && error?.errno === undefined) throw error;
  process.stderr.write(`wwho: ${messageOf(error)}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
