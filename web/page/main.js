// Wires the page together: text, tokenizers and files in; tokens and numbers out.

import { Card } from "./card.js";
import { copy } from "./clipboard.js";
import { droppedFiles, pickedFiles } from "./dropped.js";
import { isEditable } from "./editable.js";
import { Engine } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { FileCounter } from "./files.js";
import { count } from "./format.js";
import { recalled, remember } from "./last-visit.js";
import { SHIPPED, addModel, fetchModel, forget, isModel, names } from "./models.js";
import { showNumbers } from "./numbers.js";
import { fromFragment, isLink, toFragment } from "./permalink.js";
import { showOverflow } from "./overflow.js";
import { showPremium, showSentences } from "./premium.js";
import { SyllableView } from "./syllables.js";
import { TokenPanel } from "./tokens.js";

/** @typedef {import("./engine.js").Opened & { name: string, blob: Uint8Array }} Open a tokenizer */

const SIDES = ["a", "b"];
const UNDOABLE = 1000; // UTF-16 units

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);

/** Names of the tokenizers that both sides should have. */
const chosen = [SHIPPED[0], SHIPPED[1]];
/** Those that the engine has. @type {(Open | undefined)[]} */
const opened = [undefined, undefined];
/** What each side was told to open last. @type {Promise<void>[]} */
const opening = [Promise.resolve(), Promise.resolve()];
/** How many choices are not settled yet. */
let choosing = 0;
/** Why nothing can be counted any more. */
let ended = "";
/** What stands in the text area, or stood there before it grew too long. */
let text = "";
/** The place in the text that is looked at, in UTF-16 units. */
let place = 0;
/** @type {import("./engine.js").Result | undefined} */
let last;
/** Where a tokenizer goes that is chosen in a dialog. */
let ownSide = 1;
/** The entry of the browser's history that is shown. */
let entry = entryHere();

const engine = new Engine({
  result: show,
  failed: complain,
  broken(message) {
    ended = broken(message);
    giveUpFiles();
  },
});
const syllables = new SyllableView(find);
const card = new Card(find("card"), (token) => syllables.showAt(token.start));
const panels = SIDES.map(
  (side) =>
    new TokenPanel(
      find(`tokens-${side}`),
      (token, span) => card.show(token, span),
      (token) => syllables.showAt(token.start),
    ),
);
const files = new FileCounter(find, () => both() ?? []);

/** The tokenizers, if both are open. */
const both = () => (opened[0] && opened[1] ? [opened[0], opened[1]] : undefined);

/** Names of what is open, or of what should be where nothing is. */
const openNames = () => chosen.map((name, side) => opened[side]?.name ?? name);

/** @param {string} message "" takes it away, but for what cannot be mended */
function complain(message) {
  const said = message || ended;
  find("alert").hidden = said === "";
  find("alert").textContent = said;
}

/** @param {string} why @returns {string} what is said */
function broken(why) {
  const message = `The tokenizers could not start: ${why}`;
  document.body.dataset.state = "broken";
  complain(message);
  return message;
}

/** Put a tokenizer on a side. @param {number} side @param {string} name @returns {Promise<string>} what went wrong, or "" */
async function choose(side, name) {
  chosen[side] = name;
  showChoices();
  document.body.dataset.state = ended ? "broken" : "counting";
  choosing++;
  try {
    const blob = await fetchModel(name);
    if (chosen[side] !== name) return ""; // another was chosen meanwhile
    opening[side] = open(side, name, blob);
    await opening[side];
    return "";
  } catch (error) {
    await opening[side].catch(() => undefined); // of one that was chosen before, and stays
    return chosen[side] === name ? refused(side, /** @type {Error} */ (error)) : "";
  } finally {
    choosing--;
    giveUpFiles();
  }
}

/** @param {number} side @param {string} name @param {Uint8Array} blob */
async function open(side, name, blob) {
  opened[side] = { name, blob, ...(await engine.model(side, blob)) };
  showOpened();
}

/** A tokenizer that cannot be opened: the one that is open stays. @param {number} side @param {Error} error */
function refused(side, error) {
  const name = chosen[side];
  forget(name); // fetched again if it is tried again
  const open = opened[side];
  if (open === undefined) {
    broken(error.message);
    return error.message;
  }
  chosen[side] = open.name;
  showChoices();
  const message = `${name} cannot be opened: ${error.message}`;
  complain(message);
  showOpened();
  return message;
}

/** Everything that depends on what is open. */
function showOpened() {
  openNames().forEach((name, side) => (find(`title-${SIDES[side]}`).textContent = name));
  const open = both();
  if (open) {
    document.body.classList.add("ready");
    syllables.use((open.find(({ sgpe }) => sgpe) ?? open[0]).blob);
    showPremium(open);
    files.again();
  }
  countText();
}

function showChoices() {
  SIDES.forEach((side, i) => {
    find(`pick-${side}`).replaceChildren(...names().map((name) => new Option(name)));
    find(`pick-${side}`).value = chosen[i];
  });
}

/** @param {import("./engine.js").Result} result @param {boolean} newest */
function show(result, newest) {
  last = result;
  showNumbers({ names: openNames(), counts: result.counts, characters: result.characters });
  const where = result.part.length < result.units ? " in the stretch shown" : "";
  result.tokens.forEach((tokens, i) => showTokens(i, tokens ?? [], where));
  showStretch(result);
  whenIdle(() => last === result && syllables.show(result.part));
  document.body.dataset.state = newest ? "done" : "counting";
}

/** What is below the text can wait for a moment in which nobody types. @param {() => void} work */
function whenIdle(work) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work);
}

/** @param {number} side @param {import("./describe.js").Token[]} tokens @param {string} where "" if these are all */
function showTokens(side, tokens, where) {
  panels[side].show(tokens);
  find(`empty-${SIDES[side]}`).hidden = tokens.length > 0;
  find(`torn-${SIDES[side]}`).textContent = tokens.length === 0 ? "" : cutsIn(tokens) + where;
}

/** How often tokens begin inside something that a reader sees as one. @param {import("./describe.js").Token[]} tokens */
function cutsIn(tokens) {
  const found = ["syllable", "character"].flatMap((what) => {
    const cuts = tokens.filter(({ tornStart }) => tornStart === what).length;
    return cuts > 0 ? [`${count(cuts)} inside ${what}s`] : [];
  });
  return found.length > 0 ? `cuts: ${found.join(", ")}` : "nothing cut";
}

/** @param {import("./engine.js").Result} result */
function showStretch({ start, end, units }) {
  find("pager").hidden = units === end - start;
  find("stretch").textContent = `Shown: ${count(start + 1)} to ${count(end)} of ${count(units)}. All is counted.`;
  // Not disabled, which would take the focus from whoever got here with them.
  find("earlier").ariaDisabled = String(start === 0);
  find("later").ariaDisabled = String(end === units);
}

/** A change by the user: what was said before is over, and the link no longer says what is here. */
function edited() {
  complain("");
  if (isLink(location.hash)) history.replaceState(entry, "", location.pathname + location.search);
}

/** Read the text area after a change; what has grown too long for it is counted as a file. */
function readText() {
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

/** @param {string} value @param {string} name of it, for when it is too long */
function setText(value, name) {
  if (!isEditable(value)) return tooLong(value, name);
  find("text").value = value;
  find("text").setSelectionRange(0, 0);
  readText();
}

/** Put another text in place of what is there, so that it can be undone if it is short. @param {string} value @param {string} name */
function replaceText(value, name) {
  if (!isEditable(value)) return tooLong(value, name);
  edited();
  const [box, focused] = [find("text"), /** @type {HTMLElement | null} */ (document.activeElement)];
  box.focus({ preventScroll: true });
  box.select();
  // Old, but the only way that the browser's undo knows; it is slow: 0.3 s for 280 lines.
  if (value.length > UNDOABLE || !document.execCommand("insertText", false, value)) setText(value, name);
  box.setSelectionRange(0, 0);
  focused?.focus({ preventScroll: true });
}

/** To edit it would freeze the page. @param {string} value @param {string} name @param {string} [more] */
function tooLong(value, name, more = "") {
  complain(`${name} is too long to be edited here, so it is counted as a file, below. ${more}`.trim());
  countFiles([{ path: name, file: new Blob([value]) }]);
}

/** @param {{ path: string, file: Blob }[]} found */
function countFiles(found) {
  files.add(found);
  giveUpFiles();
}

/** Where there are no tokenizers, and none will come, until others are chosen. */
function giveUpFiles() {
  if (!both() && (ended || choosing === 0)) files.cancel("no tokenizer could be opened");
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

/**
 * Tokenizers go to one side, all else is counted.
 * @param {import("./dropped.js").Found[]} found
 * @param {number} [side] @param {(path: string) => boolean} [isOne] whether a file should be a tokenizer
 */
async function take(found, side = 1, isOne = isModel) {
  complain("");
  const models = found.filter(({ path, problem }) => isOne(path) && !problem);
  countFiles(found.filter((each) => !models.includes(each)));
  const problems = found.length > 0 ? [] : ["There is no file in that folder."];
  for (const { file } of models) problems.push(await openModel(file, side));
  complain(problems.filter(Boolean).join("\n"));
}

/** @param {File} file @param {number} side @returns {Promise<string>} what went wrong, or "" */
async function openModel(file, side) {
  try {
    const name = await addModel(file);
    edited();
    return await choose(side, name);
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** @param {HTMLButtonElement} button @param {string | Promise<string>} what */
async function copyFrom(button, what) {
  const name = (button.dataset.name ??= button.textContent ?? "");
  try {
    button.textContent = (await copy(await what)) ? "Copied" : "Not allowed";
    setTimeout(() => (button.textContent = name), 1500);
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
  }
}

/** The address that carries text and settings; it becomes the page's own. */
async function link() {
  const [a, b] = chosen.map((name) => (SHIPPED.includes(name) ? name : undefined));
  const own = chosen.flatMap((name, side) =>
    SHIPPED.includes(name) ? [] : [`The link opens with ${SHIPPED[side]} in place of ${name}, which is only here.`],
  );
  if (own.length > 0) complain(own.join("\n"));
  const fragment = await toFragment({ ...settings(), a, b });
  history.replaceState(entry, "", fragment);
  return location.href;
}

/** @returns {import("./permalink.js").Shared} what is here now */
function settings() {
  const [price, texts] = ["price", "texts"].map((id) => (find(id).validity.valid ? find(id).valueAsNumber || 0 : NaN));
  return { text, a: chosen[0], b: chosen[1], ...(price >= 0 && { price }), ...(texts >= 1 && { texts }) };
}

/** The text with the tokens of both. */
async function asJSON() {
  const asked = text;
  const ids = await engine.ids(asked);
  // The Worker answers in order, so what is open now is what made them.
  return JSON.stringify(
    { text: asked, tokenizers: openNames().map((name, i) => ({ name, count: ids[i]?.length ?? 0, ids: ids[i] ?? [] })) },
    null,
    1,
  );
}

/** Take over what the address carries, if it is still the address then. @returns {Promise<boolean>} whether it carries anything */
async function readLink() {
  const { hash } = location;
  try {
    const shared = await fromFragment(hash);
    if (!shared || location.hash !== hash) return false;
    put(shared, "The text of this link");
    return true;
  } catch (error) {
    if (location.hash === hash) complain(/** @type {Error} */ (error).message);
    return false;
  }
}

/** What is not said is as at first. @param {import("./permalink.js").Shared} shared @param {string} name of the text */
function put(shared, name) {
  for (const id of /** @type {const} */ (["price", "texts"])) find(id).value = String(shared[id] ?? find(id).defaultValue);
  [shared.a, shared.b].forEach((wanted, side) => (chosen[side] = wanted && names().includes(wanted) ? wanted : SHIPPED[side]));
  setText(shared.text, name);
}

/** The mark of the history's entry, which stays when the page is loaded again. @returns {number} */
function entryHere() {
  const mark = history.state ?? Date.now();
  history.replaceState(mark, "");
  return mark;
}

/** A link was followed on the page, or the way back from it, to what was left there. */
async function followed() {
  complain("");
  remember(entry, settings());
  entry = entryHere();
  if (isLink(location.hash)) {
    if (!(await readLink())) return;
  } else {
    const left = recalled(entry);
    if (!left) return;
    put(left, "Your text");
  }
  chosen.forEach((name, side) => choose(side, name));
}

function listen() {
  for (const box of document.querySelectorAll(".more")) showOverflow(/** @type {HTMLElement} */ (box));
  find("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault(); // no entry of the history, to which "back" would lead
    find("text").focus();
  });
  find("text").addEventListener("input", () => {
    edited();
    readText();
  });
  find("text").addEventListener("paste", paste);
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => replaceText(EXAMPLES[/** @type {HTMLElement} */ (button).dataset.example ?? ""], "The example"));
  }
  for (const id of ["price", "texts"]) {
    find(id).addEventListener("input", () => {
      edited();
      if (last) showNumbers({ names: openNames(), ...last });
    });
  }
  for (const [button, input] of [["open", "file"], ["open-folder", "folder"]]) {
    find(button).addEventListener("click", () => find(input).click());
    find(input).addEventListener("change", () => take(picked(input)));
  }
  SIDES.forEach((side, i) => {
    find(`pick-${side}`).addEventListener("change", () => {
      edited();
      choose(i, find(`pick-${side}`).value);
    });
    find(`own-${side}`).addEventListener("click", () => openOn(i));
  });
  find("open-model").addEventListener("click", () => openOn(1));
  find("model").addEventListener("change", () => take(picked("model"), ownSide, () => true));
  find("copy-link").addEventListener("click", () => copyFrom(find("copy-link"), link()));
  find("copy-json").addEventListener("click", () => copyFrom(find("copy-json"), asJSON()));
  find("copy-files").addEventListener("click", () => copyFrom(find("copy-files"), JSON.stringify(files, null, 1)));
  find("earlier").addEventListener("click", () => page(-1));
  find("later").addEventListener("click", () => page(1));
  addEventListener("pagehide", () => remember(entry, settings()));
  find("close-alert").addEventListener("click", () => {
    find("alert").hidden = true;
    find("copy-link").focus({ preventScroll: true }); // comes next
  });
  addEventListener("popstate", followed);
  listenToDrops();
}

/** What was chosen in a file dialog. @param {string} input */
function picked(input) {
  const found = pickedFiles(find(input).files);
  find(input).value = ""; // the same may be chosen again
  return found;
}

/** Ask for a tokenizer. @param {number} side */
function openOn(side) {
  ownSide = side;
  find("model").click();
}

/** Show the stretch before (-1) or behind (1), if there is one. @param {number} step */
function page(step) {
  if (!last || (step < 0 ? last.start === 0 : last.end === last.units)) return;
  const half = Math.round((last.end - last.start) / 2);
  place = Math.max(0, Math.min(text.length, step < 0 ? last.start - half : last.end + half));
  countText();
}

function listenToDrops() {
  addEventListener("dragover", (event) => {
    const files = Boolean(event.dataTransfer?.types.includes("Files"));
    if (!files && event.target === find("text")) return; // text is moved there, which the browser does best
    event.preventDefault();
    document.body.classList.toggle("dragging", files);
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  addEventListener("drop", async (event) => {
    document.body.classList.remove("dragging");
    const data = event.dataTransfer;
    const dropped = data?.getData("text/plain") ?? "";
    if (data?.files.length === 0 && event.target === find("text") && isEditable(dropped)) return;
    event.preventDefault();
    if (data && data.files.length > 0) take(await droppedFiles(data));
    else if (dropped) replaceText(dropped, "Dropped text");
  });
}

async function start() {
  showSentences();
  listen();
  if (!(await readLink())) put(recalled(entry) ?? { text: EXAMPLES.mixed }, "Your text");
  await Promise.all(chosen.map((name, side) => choose(side, name)));
  // Only where it may: not in private windows of some browsers, and not from plain http.
  try {
    await navigator.serviceWorker.register(new URL("sw.js", document.baseURI));
  } catch {
    // Everything but a visit without a network works all the same.
  }
}

start();
