// Writes what the page shows and others know. Into web/site/index.html, what is there before any script has run: the first example
// with its tokens and numbers, made by the tokenizers and by the page's own modules. Into web/site/page/syllables, the grammars of
// wwho_400k, and a small model of SCRIPT, which `wwho train` makes of the page's own sentences.
//
//     node tools/gen_page.mjs            write it
//     node tools/gen_page.mjs --check    fail where it is not what is there

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { getEncoding } from "../web/package/node.js";
import { fromSite } from "./site.mjs";

const { describe } = await fromSite("page/tokens.js");
const { EXAMPLES } = await fromSite("page/data/examples.js");
const { FIRST, SHIPPED, choiceOf } = await fromSite("page/data/models.js");
const { PARALLEL } = await fromSite("page/data/parallel.js");
const { count } = await fromSite("page/show/format.js");
const { lineHTML, linesOf } = await fromSite("page/show/markup.js");
const { cutsIn } = await fromSite("page/show/pieces.js");
const { costOf, taxOf } = await fromSite("page/show/strip.js");

const PAGE = new URL("../web/site/index.html", import.meta.url);
const GRAMMARS = new URL("../web/site/page/syllables/grammars.js", import.meta.url);
const SCRIPT = new URL("../web/site/page/syllables/script.wwho", import.meta.url);
const WWHO = fileURLToPath(new URL("../.venv/bin/wwho", import.meta.url));
const TEXT = EXAMPLES.sinhala;

/**
 * Return the page with everything that depends on the tokenizers as they are now.
 * @param {string} html the page
 * @returns {Promise<string>}
 * @throws {Error} an element is missing
 */
export async function filled(html) {
  const tokenizers = await Promise.all(FIRST.map((name) => getEncoding(name)));
  const block = await describe(TEXT, tokenizers.map((tokenizer) => ({ tokenizer, encoded: tokenizer.encodeWithOffsets(TEXT, { units: true }) })));
  const counts = block.rows.map((tokens) => tokens?.length ?? 0);
  const labels = FIRST.map((name) => SHIPPED[name].known);
  const most = Math.max(...counts);
  /** Put something between the tags of an element. @param {string} id @param {string} inner */
  const fill = (id, inner) => {
    const element = new RegExp(`(id="${id}"[^>]*>)${id.startsWith("tokens-") ? `[^]*?(</div><!-- ${id} -->)` : "[^<]*(<)"}`);
    if (!element.test(html)) throw new Error(`web/site/index.html has no element ${id}`);
    html = html.replace(element, (_, start, end) => start + inner + end);
  };
  const attribute = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ value) => {
    html = html.replace(new RegExp(`(id="${id}"[^>]* ${name}=")[^"]*`), (_, start) => start + value);
  };
  fill("text", TEXT);
  fill("given", `${count(Array.from(TEXT).length)} characters`);
  block.rows.forEach((tokens = [], row) => {
    fill(`tokens-${row}`, linesOf(block, tokens, "text").html.map((line) => lineHTML(line, "text")).join(""));
    fill(`cuts-${row}`, cutsIn([block], row));
    fill(`name-${row}`, labels[row]);
    fill(`count-${row}`, count(counts[row]));
    attribute(`count-${row}`, "data-count", String(counts[row]));
    attribute(`bar-${row}`, "width", `${(100 * counts[row]) / most}%`);
    fill(`tax-${row}`, taxOf(counts, row, labels));
    fill(`cost-name-${row}`, labels[row]);
    const texts = Number(/id="texts"[^>]* value="([^"]*)/.exec(html)?.[1]);
    const { price, priced = "" } = choiceOf(FIRST[row]);
    const { cost, rate } = costOf(counts[row], texts, undefined, price === undefined ? undefined : { price, priced });
    fill(`cost-${row}`, cost);
    fill(`rate-${row}`, rate);
  });
  const said = labels.map((label, row) => `${counts[row]} with ${label}`);
  const sentence = `The same sentence takes ${said[0].replace("with", "tokens with")}, ${said[1]}, and ${said[2]}.`;
  return html.replace(/(property="og:description" content=")[^"]*/, (_, start) => start + sentence);
}

/**
 * Return the grammars of which wwho_400k was made, as the text of a module.
 * @returns {Promise<string>}
 * @throws {Error} two grammars describe a class of the same name differently
 */
export async function grammars() {
  const { provenance } = await getEncoding("wwho_400k");
  const found = {};
  const described = {};
  for (const key of Object.keys(provenance).filter((each) => each.startsWith("schema:"))) {
    const name = key.slice("schema:".length);
    const schema = JSON.parse(await readFile(new URL(`../schemas/${name}.json`, import.meta.url), "utf8"));
    // The digest is of what cuts text; which units are valid syllables is not part of that.
    const cutting = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "strict"));
    const { title, grammar, groups, classes } = cutting;
    const both = (/** @type {string | string[]} */ range) => [range].flat().map((code) => parseInt(code, 16));
    const ranges = Object.entries(classes).map(([each, value]) => [each, value.ranges.map(both).map((range) => [range[0], range.at(-1)])]);
    found[name] = { title, source: `sha256 ${createHash("sha256").update(canonical(cutting)).digest("hex")}`, grammar, groups, classes: Object.fromEntries(ranges) };
    for (const [each, { description }] of Object.entries(classes)) {
      const [short] = description.split(":");
      if ((described[each] ??= short) !== short) throw new Error(`class ${each} of ${name} is ${short}, and of others ${described[each]}`);
    }
  }
  const lines = (/** @type {Record<string, unknown>} */ values) =>
    Object.entries(values).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`).join("\n");
  return `// The grammars of wwho_400k. Written by tools/gen_page.mjs.

/** What the names of classes stand for, in all of them. @type {Readonly<Record<string, string>>} */
export const CLASSES = {
${lines(described)}
};

/** \`title\`: the name for people; \`source\`: of the schema, as in the provenance of what was made of it; \`groups\`: names for several classes;
 * \`classes\`: their code points, from and to.
 * @typedef {{ title: string, source: string, grammar: string, groups: Record<string, string[]>, classes: Record<string, [number, number][]> }} Grammar */

/** @type {Readonly<Record<string, Grammar>>} by the name of the route */
export const GRAMMARS = {
${lines(found)}
};
`;
}

/**
 * Return the sentences of which the model of SCRIPT is made, a line each.
 * @returns {string}
 */
export const scriptCorpus = () => [...PARALLEL.map((/** @type {{ text: string }} */ { text }) => text), ...Object.values(EXAMPLES), ""].join("\n");

/**
 * Train the model of SCRIPT with `wwho train` in a temporary folder, and return its file.
 * @returns {Promise<Buffer>}
 * @throws {Error} the program fails
 */
async function script() {
  const folder = await mkdtemp(join(tmpdir(), "wwho-"));
  const file = join(folder, "script.wwho");
  const options = "--encoding script --base none --pattern script --merge-constraint character --prune 1 --min-freq 2 --no-special --vocab-size 8000";
  try {
    execFileSync(WWHO, ["train", ...options.split(" "), "-o", file], { input: scriptCorpus(), stdio: ["pipe", "ignore", "inherit"] });
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Return JSON with sorted keys and no spaces, of which a schema's digest is made.
 * @param {any} value of JSON, without null
 * @returns {string}
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = (/** @type {URL} */ url) => readFile(url, "utf8");
  for (const [url, make] of /** @type {const} */ ([[PAGE, async () => filled(await text(PAGE))], [GRAMMARS, grammars], [SCRIPT, script]])) {
    const made = Buffer.from(await make());
    if (process.argv.includes("--check")) {
      if (!made.equals(await readFile(url))) throw new Error(`${url.pathname} is not what is made now: node tools/gen_page.mjs`);
    } else {
      await writeFile(new URL(`${url}.new`), made);
      await rename(new URL(`${url}.new`), url);
    }
  }
}
