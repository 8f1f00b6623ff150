// The state of the page, but not how it is shown: a text, a chat or files; the tokenizers of the rows; and their results.

import { framing } from "./chat.js";
import { CHAT, EXAMPLES } from "./data/examples.js";
import { FIRST, addModel } from "./data/models.js";
import { Files } from "./files.js";
import { isEditable } from "./input/editable.js";
import { Tokenizers } from "./tokenizers.js";
import { SHOWN, describe, describeAround, knowsUnits } from "./tokens.js";

const GLIMPSE = 16_000; // bytes of a file, of which the first tokens are shown
/** The row for a tokenizer that the user opens; the others are compared with it. */
const OWN_ROW = 2;

/** @typedef {import("./chat.js").Message} Message */
/** @typedef {import("./tokens.js").Side} Side */
/** @typedef {import("./input/files.js").Found} Found */
/**
 * @typedef {object} Result
 * @property {(number | undefined)[]} counts tokens, by row; undefined if no tokenizer is open
 * @property {number} characters code points of the text
 * @property {number} units UTF-16 units of the text
 * @property {number} start of the shown part, in UTF-16 units
 * @property {import("./tokens.js").Block[]} blocks what is shown: a part of a text, or the messages of a chat
 */

export class Model {
  /** The text in the text area, or the last one that was not too long. */
  text = EXAMPLES.sinhala;
  /** The place in the text to show, in UTF-16 units. */
  place = 0;
  /** Whether the chat is shown instead of the text. */
  chatting = false;
  /** @type {Message[]} */
  messages = [];
  /** What the rows show; undefined while that is the content of index.html. @type {Result | undefined} */
  last;
  #on;
  /** Whether something new must be counted, and whether counting is running. */
  #isWanted = true;
  #isBusy = false;

  /**
   * @param {object} on what to call
   * @param {() => void} on.input there is other input, or something is being counted
   * @param {() => void} on.result there is another result
   * @param {() => void} on.choices other tokenizers are chosen, or open
   * @param {(entry?: import("./files.js").Entry) => void} on.files there is more of an entry, or there are other entries
   * @param {(message: string) => void} on.failed
   * @param {(progress: { name: string, loaded: number, total: number }) => void} on.progress of a tokenizer that is on its way, in bytes
   * @param {(what: string) => void} on.step what is being done to import one, "" when that is over
   * @param {(added: import("./data/models.js").Added) => void} on.imported one of another library has become a .wwho file
   */
  constructor(on) {
    this.#on = on;
    this.files = new Files(() => this.#counting(), on.files);
    this.tokenizers = new Tokenizers({ progress: on.progress, changed: () => this.#chosen() });
  }

  /** Whether the rows still show the content of index.html: the first example, with the first tokenizers. */
  get untouched() {
    const asAtFirst = this.text === EXAMPLES.sinhala && this.tokenizers.picks.every((pick, row) => pick === FIRST[row]);
    return asAtFirst && !this.last && !this.chatting && this.files.entries.length === 0;
  }

  /**
   * Whether something is being counted, is done, or cannot be because no tokenizer is open.
   * @returns {"counting" | "done" | "broken"}
   */
  get state() {
    const { settled, opened } = this.tokenizers;
    if (!settled) return "counting";
    if (!opened.some(Boolean)) return "broken";
    return this.#isWanted || this.#isBusy ? "counting" : "done";
  }

  /** Count again after other tokenizers were chosen or opened. */
  #chosen() {
    const { settled, opened } = this.tokenizers;
    if (settled && opened.some(Boolean)) this.files.again();
    else if (settled) this.files.cancel("no tokenizer could be opened");
    this.#on.choices();
    this.recount();
  }

  /**
   * Return the tokenizers that count files, with their rows; none while any is loading.
   * @returns {import("./files.js").Counting[]}
   */
  #counting() {
    const { settled, labels, opened } = this.tokenizers;
    return settled ? opened.flatMap((open, row) => (open ? [{ ...open, row, label: labels[row] }] : [])) : [];
  }

  /** Count the input, and describe its tokens. Inputs wait while one is being counted; then the newest is next. */
  async recount() {
    this.#isWanted = true;
    this.#on.input();
    if (this.#isBusy || (this.untouched && !this.tokenizers.settled)) return;
    this.#isBusy = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      try {
        // A result that is old already is shown all the same: whoever types without a pause should see something.
        this.last = await this.#read();
      } catch (error) {
        if (!this.#isWanted) this.#on.failed(/** @type {Error} */ (error).message);
      }
      this.#isBusy = this.#isWanted;
      this.#on.result();
    }
  }

  /** Encode the input, a part of it for the rows, and return the result. @returns {Promise<Result>} */
  async #read() {
    const file = this.files.entries[0]?.file;
    if (this.chatting && !file) return this.#readChat(this.messages);
    const { place } = this;
    // The last character of a part of a file may be cut.
    const text = file ? (await file.slice(0, GLIMPSE).text().catch(() => "")).replace(/\ufffd+$/, "") : this.text;
    const sides = await this.#encoded(text);
    const { start, block } = await describeAround(text, sides, file ? 0 : place, this.last?.start ?? 0);
    const counts = sides.map((side) => side?.encoded.ids.length);
    return { counts, characters: codePoints(text), units: text.length, start, blocks: [block] };
  }

  /**
   * Encode the messages of a chat, and return the result; only the first units of all messages are described.
   * @param {readonly Message[]} messages
   * @returns {Promise<Result>}
   */
  async #readChat(messages) {
    const counts = await Promise.all(this.tokenizers.opened.map((open) => open && framing(open.tokenizer, messages)));
    const blocks = [];
    let shown = 0;
    for (const { role, content } of messages) {
      const text = content.slice(0, Math.max(0, SHOWN - shown)); // what comes after is counted all the same
      shown += text.length;
      const sides = await this.#encoded(content);
      sides.forEach((side, row) => side && (counts[row] = (counts[row] ?? 0) + side.encoded.ids.length));
      blocks.push({ role, ...(await describe(content, sides, 0, text.length)) });
    }
    return { counts, characters: codePoints(messages.map(({ content }) => content).join("")), units: shown, start: 0, blocks };
  }

  /**
   * Encode a text with the tokenizer of each row.
   * @param {string} text
   * @returns {Promise<Side[]>} by row
   */
  #encoded(text) {
    const encode = async (/** @type {import("./tokenizers.js").Open} */ { tokenizer }) => ({ tokenizer, encoded: await tokenizer.encodeWithOffsets(text, { units: knowsUnits(tokenizer) }) });
    return Promise.all(this.tokenizers.opened.map((open) => open && encode(open)));
  }

  /**
   * Set another text. Editing one that is too long would freeze the page, so it is counted as a file, and the text stays.
   * @param {string} text
   * @param {string} name of it, for when it is too long
   * @param {number} [place] to show, in UTF-16 units
   * @returns {boolean} whether it can be edited
   */
  setText(text, name, place = 0) {
    const isShort = isEditable(text);
    if (isShort) Object.assign(this, { text, place });
    if (isShort) this.recount();
    else this.addFiles([{ path: name, file: new Blob([text]) }]);
    return isShort;
  }

  /** Set the messages of the chat, and count them. @param {readonly Message[]} messages */
  setMessages(messages) {
    this.messages = [...messages];
    this.recount();
  }

  /** Switch to the chat, or to the text; an empty chat begins with the text. @param {boolean} wanted */
  setChatting(wanted) {
    if (wanted && this.messages.length === 0) this.messages = this.text === EXAMPLES.sinhala ? [...CHAT] : [{ role: "user", content: this.text }];
    this.chatting = wanted;
    this.clearFiles();
  }

  /** Add files, and count them instead of the text. @param {readonly import("./files.js").Given[]} files */
  addFiles(files) {
    if (files.length === 0) return;
    this.files.add(files);
    if (this.state === "broken") this.files.cancel("no tokenizer could be opened");
    this.recount();
  }

  /** Remove all files, and count the text or the chat again. */
  clearFiles() {
    this.files.clear();
    this.recount();
  }

  /**
   * Open a tokenizer of the user in a row.
   * @param {Found} given
   * @param {readonly Found[]} found what was opened with it
   * @param {number} [row]
   * @returns {Promise<string>} what went wrong, or ""
   */
  async openModel(given, found, row = OWN_ROW) {
    try {
      const added = await addModel(given, found, this.#on.step);
      await this.tokenizers.choose(row, added.name);
      if (added.report) this.#on.imported(added);
      return this.tokenizers.problems[row];
    } catch (error) {
      return /** @type {Error} */ (error).message;
    } finally {
      this.#on.step("");
    }
  }

  /** The length of the shown part, in UTF-16 units. */
  get shown() {
    return this.last?.blocks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
  }

  /**
   * Show the part of the text before (-1) or after (1) the one that is shown, if there is one.
   * @param {number} step
   */
  turn(step) {
    const { start = 0, units = 0 } = this.last ?? {};
    const end = start + this.shown;
    if (step < 0 ? start === 0 : end === units) return;
    // The middle of a stretch that begins, or ends, where this one ends, or begins.
    this.place = Math.max(0, Math.min(this.text.length, step < 0 ? start - SHOWN / 2 : end + SHOWN / 2));
    this.recount();
  }

  /**
   * The tokens of the input, by row; undefined for a row without a count.
   * @returns {(number | undefined)[]}
   */
  get counts() {
    const totals = this.files.entries.length > 0 ? this.files.totals() : (this.last?.counts ?? []);
    return FIRST.map((_, row) => totals[row]);
  }

  /**
   * Return the state that a link or the browser's history keeps.
   * @returns {import("./share/permalink.js").Shared}
   */
  settings() {
    return { text: this.text, ...(this.chatting && { messages: this.messages }), rows: [...this.tokenizers.picks] };
  }

  /** Apply a state; missing values get their defaults. @param {import("./share/permalink.js").Shared} shared @param {string} name of the text */
  async put({ text, messages, rows }, name) {
    this.chatting = Boolean(messages);
    if (messages) this.messages = messages;
    this.files.clear();
    if (isEditable(text)) this.text = text; // before the tokenizers are chosen, which counts
    const chosen = this.tokenizers.chooseAll(rows);
    this.setText(text, name);
    await chosen;
  }

  /**
   * Return what "Copy JSON" copies: the text or the messages with the ids of all rows, or the counts of the files.
   * @returns {Promise<string>}
   */
  async asJSON() {
    if (this.files.entries.length > 0) return JSON.stringify(this.files, null, 1);
    const { text, messages, chatting, last } = this;
    const texts = chatting ? messages.map(({ content }) => content) : [text];
    const made = this.tokenizers.opened.map(async (open, row) => {
      if (!open) return [];
      const { name, tokenizer } = open;
      const ids = await Promise.all(texts.map((each) => tokenizer.encode(each, { array: true })));
      return chatting ? [{ name, count: last?.counts[row], ids }] : [{ name, count: ids[0].length, ids: ids[0] }];
    });
    return JSON.stringify({ ...(chatting ? { messages } : { text }), tokenizers: (await Promise.all(made)).flat() }, null, 1);
  }
}

/**
 * Return how many code points a text has; each lone surrogate counts as one.
 * @param {string} text
 * @returns {number}
 */
const codePoints = (text) => text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);
