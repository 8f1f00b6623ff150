// Wires the page together: text, files and examples in; counts and tokens out.

import { Card } from "./card.js";
import { Engine } from "./engine.js";
import { EXAMPLES } from "./examples.js";
import { TokenPanel } from "./tokens.js";

const NAMES = ["wwho_328k", "o200k_base"];
/** Longer texts are counted as a file: a text area with millions of characters would freeze the page by itself. */
const EDITABLE_UNITS = 300_000; // of UTF-16

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

const card = new Card(find("card"));
const panels = NAMES.map((name) => new TokenPanel(find(`tokens-${name}`), (token, span) => card.show(token, span)));
/** @type {File | undefined} */
let file;
let broken = false;

const engine = new Engine({
  ready: () => document.body.classList.add("ready"),
  result: show,
  failed: (message) => complain(message),
  broken: (message) => {
    broken = true;
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

/** Count what stands in the text area. */
function readText() {
  if (broken) return;
  complain("");
  document.body.dataset.state = "counting";
  markExample();
  engine.text(find("text").value);
}

/** @param {string} text */
function setText(text) {
  closeFile();
  find("text").value = text;
  readText();
}

/** @param {File} chosen */
function openFile(chosen) {
  if (broken) return;
  complain("");
  file = chosen;
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

/** @param {ClipboardEvent} event */
function paste(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length <= EDITABLE_UNITS) return;
  event.preventDefault();
  openFile(new File([text], "Pasted text"));
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
