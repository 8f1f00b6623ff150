// Wires the page together: text, tokenizers and files in; tokens and numbers out.

import { Card } from "./card.js";
import { copy } from "./clipboard.js";
import { droppedFiles, pickedFiles } from "./dropped.js";
import { isEditable } from "./editable.js";
import { Engine } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { FileCounter } from "./files.js";
import { count } from "./format.js";
import { SHIPPED, addModel, fetchModel, forget, names } from "./models.js";
import { showNumbers } from "./numbers.js";
import { fromFragment, toFragment } from "./permalink.js";
import { showPremium, showSentences } from "./premium.js";
import { SyllableView } from "./syllables.js";
import { TokenPanel } from "./tokens.js";

const SIDES = ["a", "b"];
const OPEN_YOUR_OWN = "\0";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);

/** Names of the tokenizers on both sides. */
const chosen = [SHIPPED[0], SHIPPED[1]];
/** @type {(import("./engine.js").Opened | undefined)[]} */
const opened = [undefined, undefined];
/** What stands in the text area, or stood there before it grew too long. */
let text = "";
/** The place in the text that is looked at, in UTF-16 units. */
let place = 0;
/** @type {import("./engine.js").Result | undefined} */
let last;

const engine = new Engine({ result: show, failed: complain, broken });
const card = new Card(find("card"));
const syllables = new SyllableView(find);
const panels = SIDES.map(
  (side) =>
    new TokenPanel(
      find(`tokens-${side}`),
      (token, span) => card.show(token, span),
      (token) => syllables.showAt(token.start),
    ),
);
const files = new FileCounter(find, () => ({ names: [...chosen], blobs: Promise.all(chosen.map(fetchModel)) }));

/** @param {string} message "" takes it away */
function complain(message) {
  find("alert").hidden = message === "";
  find("alert").textContent = message;
}

/** @param {string} message */
function broken(message) {
  document.body.dataset.state = "broken";
  complain(`The tokenizers could not start: ${message}`);
}

/** Put a tokenizer on a side. @param {number} side @param {string} name */
async function choose(side, name) {
  const before = chosen[side];
  chosen[side] = name;
  showChoices();
  document.body.dataset.state = "counting";
  try {
    const blob = await fetchModel(name);
    if (chosen[side] !== name) return; // another was chosen meanwhile
    const found = await engine.model(side, blob);
    if (chosen[side] !== name) return;
    opened[side] = found;
  } catch (error) {
    if (chosen[side] !== name) return;
    return refused(side, name, before, /** @type {Error} */ (error));
  }
  find(`title-${SIDES[side]}`).textContent = name;
  if (opened.every(Boolean)) await complete();
  else countText();
}

/** A tokenizer that cannot be opened: the one before stays. @param {number} side @param {string} name @param {string} before @param {Error} error */
function refused(side, name, before, error) {
  if (opened[side] === undefined) return broken(error.message);
  chosen[side] = before;
  if (!SHIPPED.includes(name)) forget(name);
  showChoices();
  complain(`${name} cannot be opened: ${error.message}`);
  document.body.dataset.state = "done";
}

/** Both are there: everything that depends on them. */
async function complete() {
  document.body.classList.add("ready");
  const side = opened.findIndex((each) => each?.sgpe);
  syllables.use(await fetchModel(chosen[side === -1 ? 0 : side]));
  showPremium(opened.map((each, i) => ({ name: chosen[i], premium: each?.premium ?? [] })));
  countText();
  files.again();
}

function showChoices() {
  SIDES.forEach((side, i) => {
    const options = [...names(), OPEN_YOUR_OWN].map((name) => new Option(name === OPEN_YOUR_OWN ? "Open a .wwho file …" : name, name));
    find(`pick-${side}`).replaceChildren(...options);
    find(`pick-${side}`).value = chosen[i];
  });
}

/** @param {import("./engine.js").Result} result @param {boolean} newest */
function show(result, newest) {
  last = result;
  showNumbers({ names: chosen, counts: result.counts, characters: result.characters });
  result.tokens.forEach((tokens, i) => showTokens(i, tokens ?? []));
  showStretch(result);
  whenIdle(() => last === result && syllables.show(result.part));
  document.body.dataset.state = newest ? "done" : "counting";
}

/** What is below the text can wait for a moment in which nobody types. @param {() => void} work */
function whenIdle(work) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work);
}

/** @param {number} side @param {import("./describe.js").Token[]} tokens */
function showTokens(side, tokens) {
  panels[side].show(tokens);
  find(`empty-${SIDES[side]}`).hidden = tokens.length > 0;
  const torn = tokens.filter(({ tornStart }) => tornStart).length;
  find(`torn-${SIDES[side]}`).textContent =
    tokens.length === 0 ? "" : torn === 0 ? "nothing cut" : `${count(torn)} ${torn === 1 ? "cut" : "cuts"} inside syllables or characters`;
}

/** @param {import("./engine.js").Result} result */
function showStretch({ start, end, units }) {
  find("pager").hidden = units === end - start;
  find("stretch").textContent = `Shown: ${count(start + 1)} to ${count(end)} of ${count(units)}. All is counted.`;
  find("earlier").disabled = start === 0;
  find("later").disabled = end === units;
}

/** Read the text area after a change; what has grown too long for it is counted as a file. */
function readText() {
  complain("");
  const { value, selectionEnd } = find("text");
  place = selectionEnd;
  if (isEditable(value)) {
    text = value;
    return countText();
  }
  find("text").value = text;
  tooLong(value, "Your text", "The text area holds what was there before the last change.");
}

function countText() {
  markExample();
  if (document.body.dataset.state === "broken") return;
  document.body.dataset.state = "counting";
  if (opened.some(Boolean)) engine.text(text, place);
}

/** @param {string} value */
function setText(value) {
  if (!isEditable(value)) return tooLong(value, "Dropped text");
  find("text").value = value;
  find("text").setSelectionRange(0, 0);
  readText();
}

/** To edit it would freeze the page. @param {string} value @param {string} name @param {string} [more] */
function tooLong(value, name, more = "") {
  complain(`${name} is too long to be edited here, so it is counted as a file, below. ${more}`.trim());
  files.add([{ path: name, file: new Blob([value]) }]);
}

/** Press the button of the example that stands in the text area. */
function markExample() {
  for (const button of document.querySelectorAll("[data-example]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.example ?? "";
    button.setAttribute("aria-pressed", String(EXAMPLES[name] === find("text").value));
  }
}

/**
 * What is too long by itself is counted by itself; what only makes the text too long, with that text.
 * @param {ClipboardEvent} event
 */
function paste(event) {
  const pasted = event.clipboardData?.getData("text/plain") ?? "";
  const { value, selectionStart, selectionEnd } = find("text");
  const whole = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd);
  const long = [pasted, whole].find((each) => !isEditable(each));
  if (long === undefined) return;
  event.preventDefault();
  tooLong(long, long === pasted ? "Pasted text" : "Your text");
}

/** Tokenizers go to the second side, all else is counted. @param {import("./dropped.js").Found[]} found */
async function take(found) {
  complain("");
  const models = found.filter(({ path }) => path.endsWith(".wwho"));
  files.add(found.filter((each) => !models.includes(each)));
  for (const { file } of models) await openModel(file, 1);
}

/** @param {File} file @param {number} side */
async function openModel(file, side) {
  try {
    await choose(side, await addModel(file));
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
  }
}

/** @param {HTMLButtonElement} button @param {string | Promise<string>} what */
async function copyFrom(button, what) {
  const name = button.textContent;
  const copied = await copy(await what);
  button.textContent = copied ? "Copied" : "Not allowed";
  setTimeout(() => (button.textContent = name), 1500);
}

/** The address that carries text and settings; it becomes the page's own. */
async function link() {
  const [price, texts] = ["price", "texts"].map((id) => find(id).valueAsNumber);
  const [a, b] = chosen.map((name) => (SHIPPED.includes(name) ? name : undefined));
  const fragment = await toFragment({ text, a, b, ...(price >= 0 && { price }), ...(texts >= 1 && { texts }) });
  history.replaceState(null, "", fragment);
  return location.href;
}

/** The text with the tokens of both. */
async function asJSON() {
  const ids = await engine.ids(text);
  return JSON.stringify(
    { text, tokenizers: chosen.map((name, i) => ({ name, count: ids[i]?.length ?? 0, ids: ids[i] ?? [] })) },
    null,
    1,
  );
}

/** Take over what the address carries. @returns {Promise<boolean>} whether it carries anything */
async function readLink() {
  try {
    const shared = await fromFragment(location.hash);
    if (!shared) return false;
    for (const id of /** @type {const} */ (["price", "texts"])) {
      if (shared[id] !== undefined) find(id).value = String(shared[id]);
    }
    [shared.a, shared.b].forEach((name, side) => {
      if (name && SHIPPED.includes(name)) chosen[side] = name;
    });
    setText(shared.text);
    return true;
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
    return false;
  }
}

function listen() {
  find("text").addEventListener("input", readText);
  find("text").addEventListener("paste", paste);
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => setText(EXAMPLES[/** @type {HTMLElement} */ (button).dataset.example ?? ""]));
  }
  for (const id of ["price", "texts"]) {
    find(id).addEventListener("input", () => last && showNumbers({ names: chosen, ...last }));
  }
  for (const [button, input] of [["open", "file"], ["open-folder", "folder"], ["open-model", "model"]]) {
    find(button).addEventListener("click", () => find(input).click());
    find(input).addEventListener("change", () => {
      const found = pickedFiles(find(input).files);
      find(input).value = "";
      take(found);
    });
  }
  SIDES.forEach((side, i) => find(`pick-${side}`).addEventListener("change", () => pick(i)));
  find("copy-link").addEventListener("click", () => copyFrom(find("copy-link"), link()));
  find("copy-json").addEventListener("click", () => copyFrom(find("copy-json"), asJSON()));
  find("copy-files").addEventListener("click", () => copyFrom(find("copy-files"), JSON.stringify(files, null, 1)));
  find("earlier").addEventListener("click", () => page(-1));
  find("later").addEventListener("click", () => page(1));
  addEventListener("hashchange", async () => {
    if (await readLink()) chosen.forEach((name, side) => choose(side, name));
  });
  listenToDrops();
}

/** @param {number} side */
function pick(side) {
  const name = find(`pick-${SIDES[side]}`).value;
  complain("");
  if (name !== OPEN_YOUR_OWN) return choose(side, name);
  showChoices();
  find("model").click();
}

/** Show the stretch before (-1) or behind (1). @param {number} step */
function page(step) {
  if (!last) return;
  const half = Math.round((last.end - last.start) / 2);
  place = Math.max(0, Math.min(text.length, step < 0 ? last.start - half : last.end + half));
  countText();
}

function listenToDrops() {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    const data = event.dataTransfer;
    if (!data) return;
    const dropped = data.getData("text/plain");
    if (data.files.length > 0) take(await droppedFiles(data));
    else if (dropped) setText(dropped);
  });
}

async function start() {
  showSentences();
  listen();
  const linked = await readLink();
  if (!linked) setText(find("text").value || EXAMPLES.mixed);
  await Promise.all(chosen.map((name, side) => choose(side, name)));
  // Only where it may: not in private windows of some browsers, and not from plain http.
  navigator.serviceWorker?.register(new URL("sw.js", document.baseURI)).catch(() => undefined);
}

start();
