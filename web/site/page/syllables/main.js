// The page that shows how syllables are found: a text, and the tables of wwho_400k at work on it.

import { Tokenizer } from "../../package/index.js";
import { EXAMPLES } from "../data/examples.js";
import { fetchModel } from "../data/models.js";
import { fromFragment } from "../share/permalink.js";
import { bytes } from "../show/format.js";
import { SyllableView } from "./view.js";

const MODEL = "wwho_400k";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);

async function start() {
  const [box, state] = [find("text"), find("state")];
  const shared = await fromFragment(location.hash).catch(() => undefined);
  box.value = shared?.text ?? EXAMPLES.mixed;
  try {
    const blob = await fetchModel(MODEL, ({ loaded, total }) => (state.textContent = `Loading ${MODEL}: ${bytes(loaded)} of ${bytes(total)}`));
    const view = new SyllableView(find, await Tokenizer.load(blob));
    view.show(box.value);
    box.addEventListener("input", () => view.show(box.value));
    state.textContent = "";
    document.body.dataset.state = "done";
  } catch (error) {
    state.textContent = /** @type {Error} */ (error).message;
  }
}

start();
