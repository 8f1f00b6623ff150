// Wires the page together: a text, a chat or files in; counts and tokens out.

import { modelsDate } from "../package/openai.js";
import { Engine } from "./count/engine.js";
import { Tokenizers } from "./count/tokenizers.js";
import { CHAT, EXAMPLES } from "./data/examples.js";
import { FIRST, MODELS, SHIPPED, addModel, choiceOf, isKnown, isModel, own } from "./data/models.js";
import { Chat } from "./input/chat.js";
import { droppedFiles, pickedFiles } from "./input/dropped.js";
import { isEditable } from "./input/editable.js";
import { copy } from "./share/clipboard.js";
import { recalled, remember } from "./share/last-visit.js";
import { fromFragment, isLink, toFragment, toPlainFragment } from "./share/permalink.js";
import { picture, sharePicture } from "./share/picture.js";
import { Card } from "./show/card.js";
import { element } from "./show/element.js";
import { FileCounter } from "./show/files.js";
import { bytes, count } from "./show/format.js";
import { cutsOf } from "./show/pieces.js";
import { showPremium, showSentences } from "./show/premium.js";
import { Rows, spoken } from "./show/rows.js";
import { showCosts, showCounts } from "./show/strip.js";

const ROWS = [0, 1, 2];
/** The row of a tokenizer that the user opens: the one that the others are measured by. */
const OWN_ROW = 2;
const UNDOABLE = 1000; // UTF-16 units
const TRACED = 2000; // UTF-16 units of the text that go to the page of syllables
const GLIMPSE = 16_000; // bytes of a file, of which the first tokens are shown

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);

/** What stands in the text area, or stood there before it grew too long. */
let text = EXAMPLES.sinhala;
/** The place in the text that is looked at, in UTF-16 units. */
let place = 0;
/** Whether the chat is shown, in place of the text. */
let chatting = false;
/** @type {import("./show/markup.js").View} */
let view = "text";
/** What the rows show, if it is not what index.html came with. @type {import("./count/engine.js").Result | undefined} */
let last;
/** Whether the rows show what index.html came with: the first example, by the first tokenizers. */
let untouched = true;
/** What all rows were told to open last. @type {Promise<unknown>} */
let opening = Promise.resolve();
/** Why nothing can be counted any more. */
let ended = "";
/** The entry of the browser's history that is shown. */
let entry = entryHere();

const engine = new Engine({
  result: show,
  failed: complain,
  broken(message) {
    ended = `The tokenizers could not start: ${message}`;
    setState("broken");
    complain("");
    files.cancel("no tokenizer could be opened");
  },
});
const tokenizers = new Tokenizers(engine, { changed: showChoices, failed: (message) => complain(ended ? "" : message), progress: showProgress });
const card = new Card(find("card"));
const rows = new Rows(
  ROWS.map((row) => ({ box: find(`tokens-${row}`), note: find(`cuts-${row}`) })),
  (found) => {
    if (!found) return card.hide();
    card.show(found.place, found.row, found.element);
    if (found.byKey) find("spoken").textContent = spoken(found.place, found.row);
  },
);
const files = new FileCounter(find, () => tokenizers.forFiles(), showInput);
const chat = new Chat(find("messages"), find("add-message"), () => edited(recount));

/** @param {"counting" | "done" | "broken"} state */
const setState = (state) => (document.body.dataset.state = ended ? "broken" : state);

/** @param {string} message "" takes it away, but for what cannot be mended */
function complain(message) {
  const said = message || ended;
  find("alert").hidden = said === "";
  find("alert").textContent = said;
}

/** Other tokenizers are chosen, or open. */
function showChoices() {
  for (const row of ROWS) {
    const shipped = Object.entries(SHIPPED).map(([name, { known }]) => new Option(`${known} · ${name}`, name));
    const models = [...MODELS].map(([id, { label, encoding }]) => new Option(`${label} · ${encoding}`, id));
    const groups = [shipped, models, own().map((name) => new Option(name))].map((options, i) => {
      const group = /** @type {HTMLOptGroupElement} */ (element("optgroup", "", ...options));
      group.label = ["Tokenizers", "Models of OpenAI", "Opened here"][i];
      return group;
    });
    find(`pick-${row}`).replaceChildren(...groups.filter((group) => group.children.length > 0));
    find(`pick-${row}`).value = tokenizers.picks[row];
  }
  if (tokenizers.settled) {
    const { labels, opened } = tokenizers;
    find("loading").hidden = true;
    document.body.classList.toggle("ready", opened.every(Boolean));
    showPremium(opened.map((open, row) => open && { label: labels[row], premium: open.premium }));
    if (opened.some(Boolean)) files.again();
    else files.cancel("no tokenizer could be opened");
  }
  recount();
}

/** @param {{ name: string, loaded: number, total: number }} progress in bytes */
function showProgress({ name, loaded, total }) {
  find("loading").hidden = loaded === total;
  find("loading-bar").max = total;
  find("loading-bar").value = loaded;
  find("loading-what").textContent = `Loading ${name}: ${bytes(loaded)} of ${bytes(total)}`;
}

/** Count what is there, and show its tokens. */
async function recount() {
  setState("counting");
  const first = files.first;
  showInput();
  if (untouched && !tokenizers.settled) return; // index.html has the numbers already
  if (!tokenizers.opened.some(Boolean)) return show({ counts: [], characters: 0, units: 0, start: 0, blocks: [] }, false);
  if (!first) return engine.show(chatting ? { messages: chat.messages } : { text, at: place });
  const glimpse = await first.slice(0, GLIMPSE).text().catch(() => "");
  if (first === files.first) engine.show({ text: glimpse.replace(/\ufffd+$/, ""), at: 0 }); // its last character may be cut
}

/** @param {import("./count/engine.js").Result} result @param {boolean} newest */
function show(result, newest) {
  last = result;
  untouched = false;
  showRows();
  showInput();
  setState(newest && tokenizers.settled ? "done" : "counting");
}

function showRows() {
  if (!last) return;
  const shown = last.blocks.reduce((sum, block) => sum + block.text.length, 0);
  rows.show(last.blocks, view, files.shown || chatting || shown === last.units ? "" : " in the part shown");
  find("pager").hidden = files.shown || chatting || shown === last.units;
  find("stretch").textContent = `Shown: ${count(last.start + 1)} to ${count(last.start + shown)} of ${count(last.units)}. All is counted.`;
  // Not disabled, which would take the focus from whoever got here with them.
  find("earlier").ariaDisabled = String(last.start === 0);
  find("later").ariaDisabled = String(last.start + shown === last.units);
}

/** What is counted, and the numbers. */
function showInput() {
  find("text").hidden = files.shown || chatting;
  find("chat").hidden = files.shown || !chatting;
  for (const mode of ["text", "chat"]) find(`as-${mode}`).setAttribute("aria-pressed", String(!files.shown && (mode === "chat") === chatting));
  for (const button of document.querySelectorAll("[data-example]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.example ?? "";
    button.setAttribute("aria-pressed", String(!chatting && !files.shown && EXAMPLES[name] === text));
  }
  if (untouched) return;
  const totals = files.shown ? files.totals() : (last?.counts ?? []);
  showCounts({ labels: tokenizers.labels, counts: ROWS.map((row) => totals[row]) });
  const characters = `${count(last?.characters ?? 0)} characters`;
  const said = chatting ? `${count(chat.messages.length)} messages, ${characters}` : characters;
  find("given").textContent = files.shown ? files.label : said;
}

/** A change by the user: what was said before is over, and the link no longer says what is here. @param {() => void} then */
function edited(then) {
  complain("");
  untouched &&= text === EXAMPLES.sinhala && !chatting && tokenizers.picks.every((pick, row) => pick === FIRST[row]);
  if (isLink(location.hash)) history.replaceState(entry, "", location.pathname + location.search);
  then();
}

/** Read the text area after a change; what has grown too long for it is counted as a file. */
function readText() {
  const { value, selectionEnd } = find("text");
  place = selectionEnd;
  if (!isEditable(value)) {
    find("text").value = text;
    return tooLong(value, "Your text");
  }
  text = value;
  untouched &&= text === EXAMPLES.sinhala;
  recount();
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
  chatting = false;
  files.clear();
  if (!isEditable(value)) return tooLong(value, name);
  edited(() => undefined);
  const [box, focused] = [find("text"), /** @type {HTMLElement | null} */ (document.activeElement)];
  box.focus({ preventScroll: true });
  box.select();
  // Old, but the only way that the browser's undo knows; it is slow: 0.3 s for 280 lines.
  if (value.length > UNDOABLE || !document.execCommand("insertText", false, value)) setText(value, name);
  box.setSelectionRange(0, 0);
  focused?.focus({ preventScroll: true });
}

/** To edit it would freeze the page, so it is counted as a file is. @param {string} value @param {string} name */
function tooLong(value, name) {
  countFiles([{ path: name, file: new Blob([value]) }]);
}

/** @param {{ path: string, file: Blob }[]} found */
function countFiles(found) {
  if (found.length === 0) return;
  untouched = false;
  files.add(found);
  if (tokenizers.settled && !tokenizers.opened.some(Boolean)) files.cancel("no tokenizer could be opened");
  recount();
}

/** What is too long by itself is counted by itself; what only makes the text too long, with that text. @param {ClipboardEvent} event */
function paste(event) {
  const data = event.clipboardData;
  const target = event.target instanceof Element ? event.target : document.body;
  const box = target.closest("textarea");
  if (data && data.files.length > 0) {
    event.preventDefault();
    return take(pickedFiles(data.files));
  }
  const pasted = data?.getData("text/plain") ?? "";
  if (!box) return pasted && !target.closest("input") ? replaceText(pasted, "Pasted text") : undefined;
  const whole = box.value.slice(0, box.selectionStart) + pasted + box.value.slice(box.selectionEnd);
  const long = [pasted, whole].find((each) => !isEditable(each));
  if (long === undefined) return;
  event.preventDefault();
  tooLong(long, long === pasted ? "Pasted text" : "Your text");
}

/**
 * Tokenizers go to the last row, all else is counted.
 * @param {import("./input/dropped.js").Found[]} found @param {(path: string) => boolean} [isOne] whether a file should be a tokenizer
 */
async function take(found, isOne = isModel) {
  complain("");
  const models = found.filter(({ path, problem }) => isOne(path) && !problem);
  countFiles(found.filter((each) => !models.includes(each)));
  const problems = found.length > 0 ? [] : ["There is no file in that folder."];
  for (const { file } of models) problems.push(await openModel(file));
  complain(problems.filter(Boolean).join("\n"));
}

/** @param {File} file @returns {Promise<string>} what went wrong, or "" */
async function openModel(file) {
  try {
    const name = await addModel(file);
    untouched = false;
    return await new Promise((resolve) => edited(() => resolve(tokenizers.choose(OWN_ROW, name))));
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** Do something, and say on its button that it is done. @param {HTMLButtonElement} button @param {() => Promise<string>} work gives what to say */
async function doFrom(button, work) {
  const name = (button.dataset.name ??= button.textContent ?? "");
  try {
    button.textContent = await work();
    setTimeout(() => (button.textContent = name), 1500);
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
  }
}

/** @param {string} what */
const copied = async (what) => ((await copy(what)) ? "Copied" : "Not allowed");

/** The address that carries text and settings; it becomes the page's own. */
async function link() {
  const { picks } = tokenizers;
  const lost = picks.filter((pick) => !isKnown(pick));
  if (lost.length > 0) complain(lost.map((name) => `The link leaves out ${name}, which is only here.`).join("\n"));
  const fragment = await toFragment({ ...settings(), rows: picks.map((pick) => (isKnown(pick) ? pick : null)) });
  history.replaceState(entry, "", fragment);
  return location.href;
}

/** @returns {import("./share/permalink.js").Shared} what is here now */
function settings() {
  const [price, texts] = ["price", "texts"].map((id) => (find(id).validity.valid ? find(id).valueAsNumber || 0 : NaN));
  const messages = chatting ? { messages: chat.messages } : {};
  return { text, ...messages, rows: [...tokenizers.picks], ...(price >= 0 && { price }), ...(texts >= 1 && { texts }) };
}

/** The text with the tokens of all rows. */
async function asJSON() {
  if (files.shown) return JSON.stringify(files, null, 1);
  const [asked, messages] = [text, chatting ? chat.messages : undefined];
  const ids = await engine.ids(messages ? messages.map(({ content }) => content) : [asked]);
  // The Worker answers in order, so what is open now is what made them.
  const made = tokenizers.opened.flatMap((open, row) => {
    const found = ids[row];
    if (!open || !found) return [];
    return [messages ? { name: open.name, count: last?.counts[row], ids: found } : { name: open.name, count: found[0].length, ids: found[0] }];
  });
  return JSON.stringify({ ...(messages ? { messages } : { text: asked }), tokenizers: made }, null, 1);
}

async function asPicture() {
  const said = last?.blocks.map((block) => block.text).join("\n") ?? "";
  const bars = ROWS.flatMap((row) => {
    const total = Number(find(`count-${row}`).dataset.count ?? 0);
    const cuts = (last?.blocks ?? []).flatMap((block) => {
      const tokens = block.rows[row] ?? [];
      const cut = cutsOf(tokens, block.places);
      return tokens.map(({ start, end }) => cut.some(([from, to]) => from < end && to > start));
    });
    return total > 0 ? [{ label: tokenizers.labels[row], count: total, cuts }] : [];
  });
  // Of an address on this machine, others have nothing.
  const address = /^(localhost|127\..*|\[::1\])$/.test(location.hostname) ? "pip install wwho" : location.host + location.pathname;
  const png = await picture(files.shown ? find("given").textContent : said, bars, address);
  await sharePicture(png, "tokens.png");
  return "Done";
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

/** What is not said is as at first. @param {import("./share/permalink.js").Shared} shared @param {string} name of the text */
function put(shared, name) {
  for (const id of /** @type {const} */ (["price", "texts"])) find(id).value = String(shared[id] ?? find(id).defaultValue);
  chatting = Boolean(shared.messages);
  if (shared.messages) chat.messages = shared.messages;
  untouched &&= !chatting && !shared.rows?.some((pick, row) => pick && pick !== FIRST[row]);
  opening = tokenizers.chooseAll(shared.rows);
  files.clear();
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
  if (isLink(location.hash)) return readLink();
  const left = recalled(entry);
  if (left) put(left, "Your text");
}

/** @param {boolean} wanted */
function setChatting(wanted) {
  if (wanted && !chatting && chat.messages.length === 0) chat.messages = text === EXAMPLES.sinhala ? CHAT : [{ role: "user", content: text }];
  chatting = wanted;
  files.clear();
  edited(recount);
}

function listen() {
  find("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault(); // no entry of the history, to which "back" would lead
    find("text").focus();
  });
  find("text").addEventListener("input", () => edited(readText));
  find("as-text").addEventListener("click", () => setChatting(false));
  find("as-chat").addEventListener("click", () => setChatting(true));
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", () => replaceText(EXAMPLES[/** @type {HTMLElement} */ (button).dataset.example ?? ""], "The example"));
  }
  for (const button of document.querySelectorAll("[name=view]")) {
    button.addEventListener("change", () => {
      view = /** @type {any} */ (button).value;
      showRows();
    });
  }
  for (const id of ["price", "texts"]) {
    find(id).addEventListener("input", () => edited(showCosts));
  }
  for (const row of ROWS) find(`pick-${row}`).addEventListener("change", () => pick(row, find(`pick-${row}`).value));
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[href="syllables.html"]'))) {
    for (const event of ["pointerenter", "focus"]) {
      link.addEventListener(event, () => (link.href = `syllables.html${toPlainFragment({ text: text.slice(0, TRACED) })}`));
    }
  }
  for (const [button, input] of [["open", "file"], ["open-folder", "folder"], ["open-model", "model"]]) {
    find(button).addEventListener("click", () => find(input).click());
    find(input).addEventListener("change", () => take(picked(input), input === "model" ? () => true : isModel));
  }
  find("copy-link").addEventListener("click", () => doFrom(find("copy-link"), async () => copied(await link())));
  find("copy-json").addEventListener("click", () => doFrom(find("copy-json"), async () => copied(await asJSON())));
  find("picture").addEventListener("click", () => doFrom(find("picture"), asPicture));
  find("clear-files").addEventListener("click", () => recount());
  find("earlier").addEventListener("click", () => page(-1));
  find("later").addEventListener("click", () => page(1));
  addEventListener("pagehide", () => remember(entry, settings()));
  find("close-alert").addEventListener("click", () => {
    find("alert").hidden = true;
    find("text").focus({ preventScroll: true });
  });
  addEventListener("popstate", followed);
  addEventListener("paste", paste);
  listenToDrops();
}

/** A tokenizer or a model for a row: a model brings its price. @param {number} row @param {string} id */
function pick(row, id) {
  const { price } = choiceOf(id);
  untouched = false;
  if (price !== undefined) find("price").value = String(price);
  edited(() => tokenizers.choose(row, id));
}

/** What was chosen in a file dialog. @param {string} input */
function picked(input) {
  const found = pickedFiles(find(input).files);
  find(input).value = ""; // the same may be chosen again
  return found;
}

/** Show the stretch before (-1) or after (1), if there is one. @param {number} step */
function page(step) {
  if (!last) return;
  const end = last.start + last.blocks.reduce((sum, block) => sum + block.text.length, 0);
  if (step < 0 ? last.start === 0 : end === last.units) return;
  const half = Math.round((end - last.start) / 2);
  place = Math.max(0, Math.min(text.length, step < 0 ? last.start - half : end + half));
  recount();
}

function listenToDrops() {
  const isBox = (/** @type {EventTarget | null} */ target) => target instanceof Element && target.matches("textarea");
  addEventListener("dragover", (event) => {
    const files = Boolean(event.dataTransfer?.types.includes("Files"));
    if (!files && isBox(event.target)) return; // text is moved there, which the browser does best
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
    if (data?.files.length === 0 && isBox(event.target) && isEditable(dropped)) return;
    event.preventDefault();
    if (data && data.files.length > 0) take(await droppedFiles(data));
    else if (dropped) replaceText(dropped, "Dropped text");
  });
}

async function start() {
  showSentences();
  find("prices-of").textContent += ` as of ${modelsDate}`;
  listen();
  if (!(await readLink())) put(recalled(entry) ?? { text: EXAMPLES.sinhala }, "Your text");
  await opening;
  // Only where it may: not in private windows of some browsers, and not from plain http.
  try {
    await navigator.serviceWorker.register(new URL("sw.js", document.baseURI));
  } catch {
    // Everything but a visit without a network works all the same.
  }
}

start();
