// Shows the state of the page (model.js), and tells it what the user does.

import { date as modelsDate } from "../package/lib/openai-models.js";
import { Chat } from "./chat.js";
import { EXAMPLES } from "./data/examples.js";
import { partOf, sorted } from "./data/kinds.js";
import { FROM_FILE, MODELS, SHIPPED, choiceOf, isKnown, lossesOf, own } from "./data/models.js";
import { isEditable } from "./input/editable.js";
import { droppedFiles, pickedFiles } from "./input/files.js";
import { Model } from "./model.js";
import { Address } from "./share/address.js";
import { copy } from "./share/clipboard.js";
import { toPlainFragment } from "./share/permalink.js";
import { Card } from "./show/card.js";
import { element } from "./show/element.js";
import { FileTable } from "./show/files.js";
import { bytes, count, counted } from "./show/format.js";
import { cutsOf } from "./show/pieces.js";
import { showPremium, showSentences } from "./show/premium.js";
import { Rows, spoken } from "./show/rows.js";
import { showCosts, showCounts } from "./show/strip.js";

const ROWS = [0, 1, 2];
const UNDOABLE = 1000; // UTF-16 units
const TRACED = 2000; // UTF-16 units of the text that go to the page of syllables

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);
const examples = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-example]")]);
/**
 * Return the example text of a button.
 * @param {HTMLElement} button
 * @returns {string}
 */
const exampleOf = ({ dataset }) => EXAMPLES[dataset.example ?? ""];

/** @type {import("./show/markup.js").View} */
let view = "text";
/** The error of the user's last action. */
let complaint = "";

const model = new Model({ input: showInput, result: showResult, choices: showChoices, progress: showProgress, step: showStep, imported: offer, failed: complain, files: (entry) => table.show(entry) });
const { files, tokenizers } = model;
const table = new FileTable(find, () => files, showInput);
const card = new Card(find("card"));
const rows = new Rows(
  ROWS.map((row) => ({ box: find(`tokens-${row}`), note: find(`cuts-${row}`) })),
  (found) => {
    if (!found) return card.hide();
    card.show(found.place, found.row, found.element);
    if (found.byKey) find("spoken").textContent = spoken(found.place, found.row);
  },
);
const chat = new Chat(find("messages"), find("add-message"), () => applyEdit(() => model.setMessages(chat.messages)));
const address = new Address(settings, put, complain);

// What is shown

/**
 * Show a message about the last action of the user.
 * @param {string} message "" removes it, except a message about a row without a tokenizer
 */
function complain(message) {
  complaint = message;
  showAlert();
}

/** Show the last message, and those about rows without a tokenizer; hide the box if there are none. */
function showAlert() {
  const said = [...complaint.split("\n"), ...tokenizers.problems].filter(Boolean);
  find("alert").hidden = said.length === 0;
  find("alert").textContent = [...new Set(said)].join("\n");
}

/** Show which tokenizers are chosen and open in each row, and what they lose. */
function showChoices() {
  const { labels, opened, picks, settled } = tokenizers;
  for (const row of ROWS) {
    const shipped = Object.entries(SHIPPED).map(([name, { known }]) => new Option(`${known} · ${name}`, name));
    const models = [...MODELS].map(([id, { label, encoding }]) => new Option(`${label} · ${encoding}`, id));
    const mine = own().map((name) => new Option(nameOf(name), name));
    const others = [new Option("Llama, Qwen, Gemma, your own …", FROM_FILE)];
    const groups = [shipped, models, mine, others].map((options, i) => {
      const group = /** @type {HTMLOptGroupElement} */ (element("optgroup", "", ...options));
      group.label = ["Tokenizers", "Models of OpenAI", "Opened here", "From its file, such as tokenizer.json"][i];
      return group;
    });
    find(`pick-${row}`).replaceChildren(...groups.filter((group) => group.children.length > 0));
    find(`pick-${row}`).value = picks[row];
    const losses = lossesOf(opened[row]?.name ?? "").join("; ");
    find(`lossy-${row}`).hidden = losses === "";
    find(`lossy-${row}`).title = losses;
    find(`lossy-${row}`).replaceChildren("can lose text", element("span", "visually-hidden", `: ${losses}`));
  }
  showAlert();
  if (!settled) return;
  find("loading").hidden = true;
  document.body.classList.toggle("ready", opened.every(Boolean));
  showPremium(opened.map((open, row) => open && { label: labels[row], premium: open.premium }));
}

/**
 * Return what a tokenizer that was opened here is called among the choices: a well-known one by its own name, for its file's says nothing,
 * with the number that tells it from others of that file name.
 * @param {string} name
 * @returns {string}
 */
function nameOf(name) {
  const { label } = choiceOf(name);
  const [number = ""] = / \(\d+\)$/.exec(name) ?? [];
  return label === name ? name : label + number;
}

/**
 * Show how much of a tokenizer was loaded.
 * @param {{ name: string, loaded: number, total: number }} progress in bytes
 */
function showProgress({ name, loaded, total }) {
  find("loading").hidden = loaded === total;
  find("loading-bar").max = total;
  find("loading-bar").value = loaded;
  find("loading-what").textContent = `Loading ${name}: ${bytes(loaded)} of ${bytes(total)}`;
}

/** Show what is being done. @param {string} what is being done, without a known duration; "" for nothing */
function showStep(what) {
  find("loading").hidden = what === "";
  find("loading-bar").removeAttribute("value");
  find("loading-what").textContent = find("spoken").textContent = what;
}

/**
 * Add a link with which the user saves an imported tokenizer, and what the import reports.
 * @param {import("./data/models.js").Added} added
 */
function offer({ name, blob, report }) {
  const file = `${choiceOf(name).label}.wwho`;
  const link = /** @type {HTMLAnchorElement} */ (element("a", "", file));
  link.href = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
  link.download = file;
  const said = [report?.kind, report?.engine && `ids as ${report.engine} gives them`, ...(report?.notes ?? [])].filter(Boolean).join("; ");
  const losses = lossesOf(name).join("; ");
  find("made").append(element("li", "", "Download ", link, `, ${bytes(blob.length)}: ${said}.${losses && ` Can lose text: ${losses}.`}`));
}

/** Show the rows and the numbers of a new result. */
function showResult() {
  showRows();
  showInput();
}

/** Show the tokens of each row, and which part of the text they are of. */
function showRows() {
  if (!model.last) return;
  const { blocks, start, units } = model.last;
  const isAll = files.entries.length > 0 || model.chatting || model.shown === units;
  rows.show(blocks, view, isAll ? "" : " in the part shown");
  find("pager").hidden = isAll;
  find("stretch").textContent = `Shown: ${count(start + 1)} to ${count(start + model.shown)} of ${count(units)}. The counts are for the whole text.`;
  // Not disabled: that would take the focus away from a user who reached this part with the buttons.
  find("earlier").ariaDisabled = String(start === 0);
  find("later").ariaDisabled = String(start + model.shown === units);
}

/** Show what is counted, a text, a chat or files, and the numbers. */
function showInput() {
  const [isFiles, { chatting, last }] = [files.entries.length > 0, model];
  document.body.dataset.state = model.state;
  find("text").hidden = isFiles || chatting;
  find("chat").hidden = isFiles || !chatting;
  for (const mode of ["text", "chat"]) find(`as-${mode}`).setAttribute("aria-pressed", String(!isFiles && (mode === "chat") === chatting));
  for (const button of examples) button.setAttribute("aria-pressed", String(!chatting && !isFiles && exampleOf(button) === model.text));
  if (model.untouched) return;
  showCounts({ labels: tokenizers.labels, counts: model.counts, prices: tokenizers.prices });
  const characters = counted(last?.characters ?? 0, "character");
  const said = chatting ? `${counted(model.messages.length, "message")}, ${characters}` : characters;
  find("given").textContent = isFiles ? table.label : said;
}

// What the user does

/** Remove the last message, and those about rows, except where a row has no tokenizer. */
function forgive() {
  tokenizers.problems = tokenizers.problems.map((problem, row) => (tokenizers.opened[row] ? "" : problem));
  complain("");
}

/**
 * Apply a change by the user, after which the link no longer matches the page, and remove the last message.
 * @param {() => void} then
 */
function applyEdit(then) {
  forgive();
  address.forget();
  then();
}

/** Read the text area after a change. Text that has grown too long for it is counted as a file. */
function readText() {
  const { value, selectionEnd } = find("text");
  if (!model.setText(value, "Your text", selectionEnd)) find("text").value = model.text;
}

/**
 * Put a text into the text area and the model; a text that is too long is counted as a file instead.
 * @param {string} value
 * @param {string} name of the text, if it is too long
 */
function setText(value, name) {
  if (!model.setText(value, name)) return;
  find("text").value = value;
  find("text").setSelectionRange(0, 0);
}

/** Replace the text. If it is short, the user can undo this. @param {string} value @param {string} name */
function replaceText(value, name) {
  model.chatting = false;
  model.clearFiles();
  if (!isEditable(value)) return setText(value, name);
  applyEdit(() => undefined);
  const [box, focused] = [find("text"), /** @type {HTMLElement | null} */ (document.activeElement)];
  box.focus({ preventScroll: true });
  box.select();
  // Old, but the only way that the browser's undo knows; it is slow: 0.3 s for 280 lines.
  if (value.length > UNDOABLE || !document.execCommand("insertText", false, value)) setText(value, name);
  box.setSelectionRange(0, 0);
  focused?.focus({ preventScroll: true });
}

/**
 * Take what the user pastes: files; a text outside a text area; and a text that is too long for it, which is counted alone, or with the
 * rest if only the whole is too long.
 * @param {ClipboardEvent} event
 */
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
  model.setText(long, long === pasted ? "Pasted text" : "Your text");
}

/** The row for which the user is asked for a tokenizer's file; undefined for the last one. @type {number | undefined} */
let asking;

/**
 * Ask the user for the file of a tokenizer.
 * @param {number} [row] the row that gets it; without one, the last
 */
function ask(row) {
  asking = row;
  find("model").click();
}

/** Put into a row what the user chose for it, or ask for its file. @param {number} row */
function choose(row) {
  const { value } = find(`pick-${row}`);
  if (value !== FROM_FILE) return applyEdit(() => tokenizers.choose(row, value));
  find(`pick-${row}`).value = tokenizers.picks[row]; // until there is a file
  ask(row);
}

/**
 * Open tokenizers in the last row, or in the one that asked for them, and count texts.
 * @param {import("./input/files.js").Found[]} found
 * @param {boolean} [asked] whether the user was asked for tokenizers
 */
async function take(found, asked = false) {
  forgive();
  const { models, texts } = sorted(found, asked);
  const problems = asked ? texts.map(partOf) : [];
  if (found.length === 0) problems.push("There is no file in that folder.");
  if (!asked) model.addFiles(texts);
  for (const each of models) {
    address.forget();
    problems.push(await model.openModel(each, found, asked ? asking : undefined));
  }
  complain(problems.join("\n"));
}

/** Switch to the chat, or to the text. @param {boolean} wanted */
function setChatting(wanted) {
  applyEdit(() => model.setChatting(wanted));
  if (wanted) chat.messages = model.messages;
}

/**
 * Do something, and show the result on its button for 1.5 seconds; an error is a complaint.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<string>} work returns what to show
 */
async function doFrom(button, work) {
  const name = (button.dataset.name ??= button.textContent ?? "");
  try {
    button.textContent = await work();
    setTimeout(() => (button.textContent = name), 1500);
  } catch (error) {
    complain(/** @type {Error} */ (error).message);
  }
}

/**
 * Copy a text, and return what the button is to say: whether that was allowed.
 * @param {string} what
 * @returns {Promise<string>}
 */
const copyAndTell = async (what) => ((await copy(what)) ? "Copied" : "Not allowed");

/**
 * Put the state of the page into its address, and return that; complain about tokenizers that others do not have, which are left out.
 * @returns {Promise<string>}
 */
async function link() {
  const { picks } = tokenizers;
  const lost = picks.filter((name) => !isKnown(name));
  if (lost.length > 0) complain(lost.map((name) => `The link leaves out ${name}, which is only here.`).join("\n"));
  return address.link({ ...settings(), rows: picks.map((name) => (isKnown(name) ? name : null)) });
}

/**
 * Return the state of the page, as a link contains it; numbers that are not valid are left out.
 * @returns {import("./share/permalink.js").Shared} the current state
 */
function settings() {
  const [price, texts] = ["price", "texts"].map((id) => (find(id).validity.valid ? find(id).valueAsNumber : NaN));
  return { ...model.settings(), ...(price >= 0 && { price }), ...(texts >= 1 && { texts }) };
}

/** Apply a state; missing values get their defaults. @param {import("./share/permalink.js").Shared} shared @param {string} name of the text */
async function put(shared, name) {
  for (const id of /** @type {const} */ (["price", "texts"])) find(id).value = String(shared[id] ?? find(id).defaultValue);
  if (shared.messages) chat.messages = shared.messages;
  const chosen = model.put(shared, name);
  find("text").value = model.text;
  find("text").setSelectionRange(0, 0);
  await chosen;
}

/**
 * Draw a picture of the comparison, and share or save it.
 * @returns {Promise<string>} what the button then says
 */
async function shareComparison() {
  const { drawPicture, sharePicture } = await import("./share/picture.js");
  const blocks = model.last?.blocks ?? [];
  const bars = ROWS.flatMap((row) => {
    const cuts = blocks.flatMap((block) => {
      const tokens = block.rows[row] ?? [];
      const cut = cutsOf(tokens, block.places);
      return tokens.map(({ start, end }) => cut.some(([from, to]) => from < end && to > start));
    });
    const total = model.counts[row] ?? 0;
    return total > 0 ? [{ label: tokenizers.labels[row], count: total, cuts }] : [];
  });
  // Of an address on this machine, others have nothing.
  const imprint = /^(localhost|127\..*|\[::1\])$/.test(location.hostname) ? "Exact counts, in your browser" : location.host + location.pathname;
  const said = files.entries.length > 0 ? table.label : blocks.map((block) => block.text).join("\n");
  await sharePicture(await drawPicture(said, bars, imprint), "tokens.png");
  return "Done";
}

/**
 * Return the files that were chosen in a file dialog, and empty it.
 * @param {string} input
 * @returns {import("./input/files.js").Found[]}
 */
function takeChosenFiles(input) {
  const found = pickedFiles(find(input).files);
  find(input).value = ""; // the same may be chosen again
  return found;
}

/**
 * Listen to an event of an element.
 * @param {string} id
 * @param {string} type
 * @param {(event: any) => void} listener
 */
const on = (id, type, listener) => find(id).addEventListener(type, listener);

/** Connect the elements of the page with what they do. */
function listen() {
  on("skip", "click", (event) => {
    event.preventDefault(); // no entry of the history, to which "back" would lead
    find("text").focus();
  });
  on("text", "input", () => applyEdit(readText));
  on("as-text", "click", () => setChatting(false));
  on("as-chat", "click", () => setChatting(true));
  for (const button of examples) button.addEventListener("click", () => replaceText(exampleOf(button), "The example"));
  for (const button of document.querySelectorAll("[name=view]")) {
    button.addEventListener("change", () => {
      view = /** @type {any} */ (button).value;
      showRows();
    });
  }
  for (const id of ["price", "texts"]) on(id, "input", () => applyEdit(() => showCosts(tokenizers.prices)));
  for (const row of ROWS) on(`pick-${row}`, "change", () => choose(row));
  for (const anchor of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('a[href="syllables.html"]'))) {
    for (const type of ["pointerenter", "focus"]) {
      anchor.addEventListener(type, () => (anchor.href = `syllables.html${toPlainFragment({ text: model.text.slice(0, TRACED) })}`));
    }
  }
  for (const [button, input] of [["open", "file"], ["open-folder", "folder"]]) on(button, "click", () => find(input).click());
  on("open-model", "click", () => ask());
  for (const input of ["file", "folder", "model"]) on(input, "change", () => take(takeChosenFiles(input), input === "model"));
  on("copy-link", "click", () => doFrom(find("copy-link"), async () => copyAndTell(await link())));
  on("copy-json", "click", () => doFrom(find("copy-json"), async () => copyAndTell(await model.asJSON())));
  on("picture", "click", () => doFrom(find("picture"), shareComparison));
  on("cancel-files", "click", () => files.cancel());
  on("clear-files", "click", () => model.clearFiles());
  on("earlier", "click", () => model.turn(-1));
  on("later", "click", () => model.turn(1));
  on("close-alert", "click", () => {
    find("alert").hidden = true;
    find("text").focus({ preventScroll: true });
  });
  addEventListener("paste", paste);
  const languages = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      languages.disconnect();
      const shown = import("./show/languages.js").then(({ showLanguages }) => showLanguages());
      shown.catch((error) => complain(`The languages cannot be shown: ${error.message}`));
    },
    { rootMargin: "50%" },
  );
  languages.observe(find("languages"));
  find("gallery").addEventListener("toggle", () => {
    const shown = import("./show/gallery.js").then(({ showGallery }) => showGallery());
    shown.catch((error) => complain(`The gallery cannot be shown: ${error.message}`));
  });
  listenToDrops();
}

/** Take files and texts that are dropped anywhere on the page; text within the text area is left to the browser. */
function listenToDrops() {
  const isBox = (/** @type {EventTarget | null} */ target) => target instanceof Element && target.matches("textarea");
  addEventListener("dragover", (event) => {
    const isFiles = Boolean(event.dataTransfer?.types.includes("Files"));
    if (!isFiles && isBox(event.target)) return; // text is moved there, which the browser does best
    event.preventDefault();
    document.body.classList.toggle("dragging", isFiles);
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

/** Show the first state, listen, and register the service worker if the browser allows it. */
async function start() {
  showSentences();
  find("prices-of").textContent += ` as of ${modelsDate}`;
  listen();
  await address.open({ text: EXAMPLES.sinhala });
  // Only where it may: not in private windows of some browsers, and not from plain http.
  try {
    await navigator.serviceWorker.register(new URL("sw.js", document.baseURI));
  } catch {
    // Everything but a visit without a network works all the same.
  }
}

start();
