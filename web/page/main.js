// Wires the page together: text, files and examples in; counts and tokens out.

import { Card } from "./card.js";
import { isEditable } from "./editable.js";
import { Engine } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { TokenPanel } from "./tokens.js";

const NAMES = ["wwho_328k", "o200k_base"];

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

const card = new Card(find("card"));
const panels = NAMES.map((name) => new TokenPanel(find(`tokens-${name}`), (token, span) => card.show(token, span)));
/** @type {File | undefined} */
let file;
/** What last stood in the text area without slowing it down. */
let editable = "";
let broken = false;

const engine = new Engine({
  ready: () => document.body.classList.add("ready"),
  result: show,
  failed,
  broken: (message) => {
    broken = true;
    closeFile();
    document.body.dataset.state = "broken";
    document.body.classList.add("broken");
    complain(`The tokenizers could not start: ${message}`);
  },
});

/** @param {string} message "" takes it away */
function complain(message) {
  find("alert").hidden = message === "";
  find("alert").textContent = message;
  if (message) document.body.classList.remove("busy");
}

/** No file card without a file behind it, and no counts of another text. @param {string} message */
function failed(message) {
  if (file) {
    closeFile();
    countText();
  } else {
    clearCounts();
  }
  complain(message);
}

function clearCounts() {
  show({ counts: NAMES.map(() => 0), tokens: NAMES.map(() => []), done: true });
  for (const name of NAMES) {
    find(`count-${name}`).textContent = "–";
    delete find(`count-${name}`).dataset.count;
  }
  document.body.dataset.state = "idle";
}

/** @param {import("./engine.js").Result} result */
function show({ counts, tokens, bytes, done }) {
  document.body.classList.toggle("busy", !done);
  const [ours, theirs] = counts;
  const most = Math.max(...counts, 1);
  NAMES.forEach((name, i) => {
    const cell = find(`count-${name}`);
    cell.textContent = number.format(counts[i]);
    cell.dataset.count = String(counts[i]);
    find(`bar-${name}`).style.setProperty("--share", String(counts[i] / most));
    if (tokens) {
      // One panel a frame: each takes the browser some time to lay out.
      requestAnimationFrame(() =>
        i === 0 ? showTokens(i, tokens[i]) : requestAnimationFrame(() => showTokens(i, tokens[i])),
      );
    }
    shownNote(name, counts[i], tokens?.[i].length);
  });
  summarize(ours, theirs);
  if (file) find("progress").value = done ? 1 : (bytes ?? 0) / Math.max(file.size, 1);
  if (file)
    find("file-state").textContent = done
      ? "Counted in full"
      : `Counting … ${percent.format((bytes ?? 0) / file.size)}`;
  document.body.dataset.state = done ? "done" : "counting";
}

/** @param {number} i @param {import("./describe.js").Token[]} tokens */
function showTokens(i, tokens) {
  panels[i].show(tokens);
  find(`empty-${NAMES[i]}`).hidden = tokens.length > 0;
}

/** @type {Record<string, number>} */
const shown = {};

/**
 * @param {string} name
 * @param {number} count
 * @param {number | undefined} length of the tokens now shown, where that changed
 */
function shownNote(name, count, length) {
  shown[name] = length ?? shown[name] ?? 0;
  const note = find(`note-${name}`);
  note.hidden = count <= shown[name];
  note.textContent = `The first ${number.format(shown[name])} of ${number.format(count)} tokens; the count covers all of them.`;
}

/** @param {number} ours @param {number} theirs tokens */
function summarize(ours, theirs) {
  const saving = theirs ? 1 - ours / theirs : 0;
  find("saving").textContent = theirs ? percent.format(Math.abs(saving)) : "–";
  find("saving-label").textContent = saving < 0 ? "more tokens" : "fewer tokens";
  find("context").textContent = ours ? `${(theirs / ours).toFixed(2)}×` : "–";
  find("summary").textContent = theirs
    ? `${number.format(ours)} tokens with ${NAMES[0]}, ${number.format(theirs)} with ${NAMES[1]}.`
    : "";
}

/** Read the text area after a change; what has grown too long for it becomes a file. */
function readText() {
  if (broken) return;
  complain("");
  const text = find("text").value;
  if (isEditable(text)) {
    editable = text;
    countText();
  } else {
    find("text").value = editable;
    openText(text, "Your text", "Closing it leads back to the text before the last change.");
  }
}

/** Count what stands in the text area. */
function countText() {
  document.body.dataset.state = "counting";
  markExample();
  engine.text(editable);
}

/** @param {string} text */
function setText(text) {
  if (!isEditable(text)) return openText(text, "Dropped text");
  closeFile();
  find("text").value = text;
  readText();
}

/**
 * Count a text as a file: to edit it would freeze the page.
 * @param {string} text
 * @param {string} name
 * @param {string} [more] to say about it
 */
function openText(text, name, more = "") {
  openFile(new File([text], name), `Too long to be edited here, so it is only counted. ${more}`.trim());
}

/** @param {File} chosen @param {string} [note] */
function openFile(chosen, note = "") {
  if (broken) return;
  complain("");
  file = chosen;
  find("file-note").textContent = note;
  find("file-note").hidden = note === "";
  find("file-name").textContent = chosen.name;
  find("file-size").textContent = bytesText(chosen.size);
  find("progress").value = 0;
  find("file-state").textContent = "Counting …";
  document.body.classList.add("has-file", "busy");
  document.body.dataset.state = "counting";
  markExample();
  engine.file(chosen);
}

function closeFile() {
  file = undefined;
  document.body.classList.remove("has-file", "busy");
}

/** @param {number} bytes */
function bytesText(bytes) {
  return bytes < 1e6 ? `${number.format(Math.ceil(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Press the button of the example that stands in the text area. */
function markExample() {
  const text = file ? undefined : find("text").value;
  for (const button of document.querySelectorAll("[data-example]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.example ?? "";
    button.setAttribute("aria-pressed", String(EXAMPLES[name] === text));
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
  const tooLong = [pasted, whole].find((text) => !isEditable(text));
  if (tooLong === undefined) return;
  event.preventDefault();
  openText(tooLong, tooLong === pasted ? "Pasted text" : "Your text");
}

/** @param {DragEvent} event */
function drop(event) {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const dropped = event.dataTransfer?.files[0];
  if (dropped) openFile(dropped);
  else if (event.dataTransfer?.getData("text/plain")) setText(event.dataTransfer.getData("text/plain"));
}

find("text").addEventListener("input", readText);
find("text").addEventListener("paste", paste);
find("open").addEventListener("click", () => find("file").click());
find("file").addEventListener("change", () => {
  if (find("file").files[0]) openFile(find("file").files[0]);
  find("file").value = "";
});
find("close-file").addEventListener("click", () => {
  closeFile();
  readText();
  find("text").focus();
});
for (const button of document.querySelectorAll("[data-example]")) {
  button.addEventListener("click", () => setText(EXAMPLES[/** @type {HTMLElement} */ (button).dataset.example ?? ""]));
}
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dragging");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dragging");
});
addEventListener("drop", drop);

if (find("text").value === "") find("text").value = EXAMPLES.mixed;
readText();
