// The page that shows how a text is cut: by the tables of wwho_400k, by a small SCRIPT model, or by the user's own tokenizer.

import { Tokenizer } from "../../package/index.js";
import { EXAMPLES } from "../data/examples.js";
import { sorted } from "../data/kinds.js";
import { SHIPPED, addModel, fetchModel } from "../data/models.js";
import { droppedFiles, pickedFiles } from "../input/files.js";
import { fromFragment } from "../share/permalink.js";
import { bytes } from "../show/format.js";
import { SyllableView } from "./view.js";

const FIRST = "wwho_400k";
const SCRIPT = "script";

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);
const [box, state, pick] = [find("text"), find("state"), find("pick")];
/** @type {SyllableView | undefined} */
let view;
/** The current tokenizer. */
let shown = FIRST;

/**
 * Load a tokenizer, and show the text with it; after a failure the one before stays.
 * @param {string} name
 */
async function use(name) {
  document.body.dataset.state = "loading";
  pick.value = name;
  const progress = (/** @type {{ loaded: number, total: number }} */ { loaded, total }) => say(`Loading ${name}: ${bytes(loaded)} of ${bytes(total)}`);
  try {
    const tokenizer = await Tokenizer.load(name === SCRIPT ? new URL("./script.wwho", import.meta.url) : await fetchModel(name, progress));
    if (pick.value !== name) return; // another was chosen meanwhile
    view ??= new SyllableView(find);
    view.use(tokenizer, box.value);
    shown = name;
    say("");
    document.body.dataset.state = "done";
  } catch (error) {
    pick.value = shown;
    say(`${name} cannot be opened: ${/** @type {Error} */ (error).message}`);
  }
}

/** Show a message; "" removes it. @param {string} what */
const say = (what) => (state.textContent = what);

/**
 * Open the first file that may be a tokenizer; its companion files may lie next to it.
 * @param {import("../input/files.js").Found[]} found
 */
async function take(found) {
  const [given] = sorted(found, true).models;
  if (!given) return say("There is no tokenizer among these files.");
  try {
    const { name } = await addModel(given, found, say);
    pick.add(new Option(name));
    await use(name);
  } catch (error) {
    say(/** @type {Error} */ (error).message);
  }
}

/** Show the text of the address or an example, and listen. */
async function start() {
  const shared = await fromFragment(location.hash).catch(() => undefined);
  box.value = shared?.text ?? EXAMPLES.mixed;
  box.addEventListener("input", () => view?.show(box.value));
  for (const [name, { known }] of Object.entries(SHIPPED)) if (name !== FIRST) pick.add(new Option(`${known} · ${name}`, name));
  pick.addEventListener("change", () => use(pick.value));
  find("open-model").addEventListener("click", () => find("model").click());
  find("model").addEventListener("change", () => take(pickedFiles(find("model").files)));
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", async (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take(await droppedFiles(event.dataTransfer));
  });
  await use(FIRST);
}

start();
