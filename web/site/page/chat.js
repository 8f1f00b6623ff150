// A chat: messages, each with a role, and their editor.

import { element } from "./show/element.js";

/** @typedef {{ role: string, content: string }} Message */

export const ROLES = Object.freeze(["system", "user", "assistant"]);
/** All models that the page offers format chats in the same way; other tokenizers are counted as if one of them used it. */
const MODEL = "gpt-4o";

/**
 * Count the tokens that a chat takes beyond the contents of its messages: marks around each, and the beginning of the answer.
 * @param {import("../package/worker.js").WorkerTokenizer} tokenizer
 * @param {readonly Message[]} messages only their roles count
 * @returns {Promise<number>}
 */
export async function framing(tokenizer, messages) {
  // Only who writes a chat needs it.
  const { countChat } = await import("../package/openai.js");
  return countChat(messages.map(({ role }) => ({ role, content: "" })), MODEL, { tokenizer });
}

/** The editor. */
export class Chat {
  #list;
  #changed;

  /** @param {HTMLElement} list @param {HTMLElement} add the button that adds a message @param {() => void} changed */
  constructor(list, add, changed) {
    this.#list = list;
    this.#changed = changed;
    list.addEventListener("input", changed);
    list.addEventListener("click", (event) => {
      const button = /** @type {Element} */ (event.target).closest("button");
      if (button) this.#remove(/** @type {Element} */ (button.closest("li")));
    });
    add.addEventListener("click", () => {
      const last = this.messages.at(-1)?.role;
      const item = this.#append({ role: last === "user" ? "assistant" : "user", content: "" });
      item.querySelector("textarea")?.focus();
      changed();
    });
  }

  /** The messages in the editor, in order. @returns {Message[]} */
  get messages() {
    return [...this.#list.children].map((item) => ({
      role: /** @type {HTMLSelectElement} */ (item.querySelector("select")).value,
      content: /** @type {HTMLTextAreaElement} */ (item.querySelector("textarea")).value,
    }));
  }

  /**
   * Show other messages in the editor; nobody is told of the change.
   * @param {readonly Message[]} messages
   */
  set messages(messages) {
    this.#list.replaceChildren();
    for (const message of messages) this.#append(message);
  }

  /**
   * Add a message at the end of the editor, and return its element.
   * @param {Message} message
   * @returns {HTMLElement}
   */
  #append({ role, content }) {
    const pick = /** @type {HTMLSelectElement} */ (element("select", "", ...ROLES.map((name) => new Option(name))));
    const box = /** @type {HTMLTextAreaElement} */ (element("textarea", ""));
    const remove = element("button", "remove", "✕");
    [pick.value, box.value] = [role, content];
    [box.rows, box.dir, box.spellcheck] = [2, "auto", false];
    remove.setAttribute("type", "button");
    for (const [node, name] of /** @type {const} */ ([[pick, "Role"], [box, "Message"], [remove, "Remove the message"]])) node.setAttribute("aria-label", name);
    const item = element("li", "", pick, box, remove);
    this.#list.append(item);
    return item;
  }

  /**
   * Remove a message from the editor, move the focus to the next one, and tell of the change.
   * @param {Element} item
   */
  #remove(item) {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    /** @type {HTMLElement | null | undefined} */ (next?.querySelector("textarea"))?.focus();
    this.#changed();
  }
}
