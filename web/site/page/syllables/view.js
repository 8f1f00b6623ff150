// The automata at work: the router cuts a text, and a machine cuts one of its segments, with every step. Or a SCRIPT model.

import { CLASSES, GRAMMARS } from "./grammars.js";
import { element } from "../show/element.js";
import { card, cell, glyph, named } from "./glyphs.js";
import { isScript, noteOnScript, pieceCard } from "./script.js";

/** @typedef {import("../../package/index.js").Tokenizer} Tokenizer */
/** @typedef {import("../../package/index.js").TracedSegment} Segment */
/** @typedef {import("../../package/index.js").TracedUnit} Unit */
/** @typedef {import("../../package/index.js").Step} Step */
/** @typedef {import("./grammars.js").Grammar} Grammar */

/** @type {Readonly<Record<string, string>>} */
const RULES = {
  syllable: "syllable",
  orphan: "orphan: a sign that only goes on with a syllable, without one before it",
  passthrough: "no part of a syllable: passed through alone",
  piece: "piece",
};
const START = 1;
const SEGMENTS = 60;
const UNITS = 12; // that are shown at once
export class SyllableView {
  /** @type {Tokenizer | undefined} */
  #tokenizer;
  /** @type {Segment[]} */
  #segments = [];
  #chosen = 0;
  #shown = UNITS;
  /** Functions that make the cards, called when they are shown. @type {(() => Node)[]} */
  #cards = [];
  /** The start of the segment that the user chose, if any. @type {number | undefined} */
  #wanted;
  #find;

  /** @param {(id: string) => any} find */
  constructor(find) {
    this.#find = find;
    find("segments").addEventListener("click", (/** @type {Event} */ event) => {
      const button = /** @type {Element} */ (event.target).closest("button");
      if (!button) return;
      const index = [...find("segments").children].indexOf(button);
      this.#wanted = this.#segments[index].start;
      this.#choose(index);
    });
    find("more-units").addEventListener("click", () => {
      this.#shown += UNITS * 2;
      this.#showCards();
      if (find("more-units").hidden) (find("segments").children[this.#chosen] ?? find("text")).focus({ preventScroll: true });
    });
  }

  /**
   * Show a text with another tokenizer; the one before is freed.
   * @param {Tokenizer} tokenizer
   * @param {string} text
   */
  use(tokenizer, text) {
    this.#tokenizer?.free();
    this.#tokenizer = tokenizer;
    this.show(text);
  }

  /**
   * Cut a text, and show its segments, and the steps of the one that the user chose or of the most interesting one.
   * @param {string} text
   */
  show(text) {
    if (!this.#tokenizer) return;
    const segments = this.#tokenizer.trace(text);
    useFontsOf(segments);
    if (segments.length > 0) {
      this.#find("on-syllables").hidden = isScript(segments);
      this.#find("on-script").hidden = !isScript(segments);
    }
    if (isScript(segments)) return this.#showScript(segments, text, this.#tokenizer);
    this.#segments = segments.slice(0, SEGMENTS);
    const again = this.#segments.findIndex(({ start }) => start === this.#wanted);
    this.#showSegments();
    this.#choose(again === -1 ? mostToShow(this.#segments) : again);
  }

  /**
   * Show the pretokens of a SCRIPT model as cards.
   * @param {readonly Segment[]} pieces
   * @param {string} text
   * @param {Tokenizer} tokenizer
   */
  #showScript(pieces, text, tokenizer) {
    const encoded = tokenizer.encodeWithOffsets(text);
    this.#segments = [];
    this.#showSegments();
    this.#find("grammar-note").textContent = noteOnScript(tokenizer);
    this.#cards = pieces.map((piece) => () => pieceCard(piece, encoded));
    this.#shown = UNITS;
    this.#showCards();
  }

  /** Show a button for each segment. */
  #showSegments() {
    this.#find("segments").replaceChildren(
      ...this.#segments.map((segment) => {
        const button = element("button", kindOf(segment), named(segment.text.replace(/^ (?=.)/u, "")), element("small", "", titleOf(segment)));
        button.setAttribute("type", "button");
        return button;
      }),
    );
  }

  /** Show the units of a segment as cards, and a note on its automaton. @param {number} index */
  #choose(index) {
    this.#chosen = index;
    [...this.#find("segments").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    const segment = this.#segments[index];
    const grammar = segment && this.#grammarOf(segment);
    this.#shown = UNITS;
    this.#find("grammar-note").replaceChildren(...(segment ? noteOn(segment, grammar) : []));
    this.#cards = (segment?.units ?? []).map((unit) => () => unitCard(unit, kindOf(segment), grammar));
    this.#showCards();
  }

  /** Show the first cards, and whether there are more. */
  #showCards() {
    this.#find("units").replaceChildren(...this.#cards.slice(0, this.#shown).map((make) => make()));
    this.#find("more-units").hidden = this.#cards.length <= this.#shown;
  }

  /**
   * Return the grammar of a segment's script, if the tokenizer's provenance names it.
   * @param {Segment} segment
   * @returns {Grammar | undefined}
   */
  #grammarOf({ route }) {
    const grammar = GRAMMARS[route];
    return grammar && this.#tokenizer?.provenance[`schema:${route}`] === grammar.source ? grammar : undefined;
  }
}

/** Use the fonts of the scripts in the text: each is named by its route, and browsers fetch only the fonts named here. @param {readonly Segment[]} segments */
function useFontsOf(segments) {
  const scripts = segments.flatMap(({ route, units }) => [route, ...units.map(({ block = "" }) => block.split(" ")[0].toLowerCase().replaceAll("_", "-"))]);
  const others = getComputedStyle(document.documentElement).getPropertyValue("--text");
  document.body.style.setProperty("--text", [...new Set(scripts.map((script) => `"wwho ${script}"`)), others].join(", "));
}

/**
 * Return the name of a route's script for readers: two grammars of one script have the same title.
 * @param {Segment} segment
 * @returns {string} the route's own name if no grammar has it
 */
const titleOf = ({ route }) => (GRAMMARS[route] ?? GRAMMARS[`${route}-unicode`])?.title ?? route;

/**
 * Return the class of a segment's elements: "script" if it has syllables, else "base".
 * @param {Segment} segment
 * @returns {string}
 */
const kindOf = ({ units }) => ((units[0]?.rule ?? "piece") === "piece" ? "base" : "script");

/**
 * Return the index of the segment with the most characters in syllables of more than one, among the first UNITS syllables of each.
 * @param {readonly Segment[]} segments
 * @returns {number} the first of several; -1 without segments
 */
function mostToShow(segments) {
  const lengths = segments.map((segment) => {
    const units = kindOf(segment) === "script" ? segment.units.slice(0, UNITS).map(({ text }) => text.trimStart().length) : [];
    return units.reduce((sum, length) => sum + (length > 1 ? length : 0), 0);
  });
  return lengths.indexOf(Math.max(...lengths));
}

/**
 * Return a note on the automaton that cuts a segment.
 * @param {Segment} segment
 * @param {Grammar | undefined} grammar
 * @returns {(string | Node)[]} what the note consists of
 */
function noteOn(segment, grammar) {
  const { states } = segment;
  const title = titleOf(segment);
  if (states === 0) return [`This tokenizer cuts “${title}” in several steps, or not at all, so there is no single machine to show.`];
  const machine = `a machine of ${states} states`;
  if (kindOf(segment) === "base") {
    return [`The router calls this segment “${title}”, which has no syllables. ${upper(machine)} cuts it into the pretokens that the base BPE ` +
      "encodes; the file numbers the classes of its characters and does not name them."];
  }
  const rings = "A double ring: a syllable may end here.";
  if (!grammar) return [`The grammar of this script became ${machine}; the file numbers the classes of its characters. ${rings}`];
  const groups = Object.entries(grammar.groups).filter(([, classes]) => classes.length).map(([name, classes]) => `${name} = ${classes.join(" ")}`);
  return [`${upper(title)}: `, element("code", "", grammar.grammar), " with ", element("code", "", groups.join(", ")), ` became ${machine}. ${rings}`];
}

/**
 * Make the card of a unit, with every step of the automaton.
 * @param {Unit} piece
 * @param {string} kind the class of the element
 * @param {Grammar | undefined} grammar names the classes; undefined: they have numbers
 * @returns {HTMLElement}
 */
function unitCard(piece, kind, grammar) {
  const length = Array.from(piece.text).length;
  const steps = piece.steps.map((step, i) => (step.to === 0 ? lastRow(piece, step, i > length, grammar) : row(step, i >= length, grammar)));
  const line = RULES[piece.rule] + (piece.text.length > 1 && piece.text.startsWith(" ") ? ", with the space before it" : "");
  return card(kind, faceOf(piece), line, ["Character", "Class", "State"], steps);
}

/**
 * Return the text of a unit without the space before it.
 * @param {Unit} piece
 * @returns {string}
 */
const faceOf = ({ text }) => named(text.replace(/^ (?=.)/u, ""));

/**
 * Make the table row of a step.
 * @param {Step} step
 * @param {boolean} ahead whether the character lies after the unit
 * @param {Grammar | undefined} grammar
 * @returns {HTMLElement}
 */
function row(step, ahead, grammar) {
  const from = step.from === START ? [ring("start", false), " → "] : ["→ "];
  return element(
    "tr",
    ahead ? "ahead" : "",
    cell(step.text),
    element("td", "", ...className(step, grammar)),
    element("td", "", ...from, ring(String(step.to), step.accepts)),
  );
}

/**
 * Make the table row that says what ended the scan, and its result.
 * @param {Unit} piece
 * @param {Step} step
 * @param {boolean} back whether characters that were read are given back
 * @param {Grammar | undefined} grammar
 * @returns {HTMLElement}
 */
function lastRow(piece, step, back, grammar) {
  const next = step.text === "" ? ["The segment ends"] : ["Next is ", glyph(step.text), " (", ...className(step, grammar), "), no way on"];
  const cell = element("td", "", ...next, back ? ", so it goes back" : "", ": ", element("span", "stop", "emits ", faceOf(piece)));
  cell.setAttribute("colspan", "3");
  return element("tr", "ahead", cell);
}

/**
 * Return the name of a character's class in the grammar, or its number.
 * @param {Step} step
 * @param {Grammar | undefined} grammar
 * @returns {(string | Node)[]}
 */
function className({ text, class: number }, grammar) {
  const code = text.codePointAt(0) ?? 0;
  const found = Object.entries(grammar?.classes ?? {}).find(([, ranges]) => ranges.some(([from, to]) => from <= code && code <= to));
  if (found) return [element("b", "", found[0]), ` ${CLASSES[found[0]] ?? ""}`];
  if (text === " ") return ["space"];
  return [grammar ? "no class" : `class ${number}`];
}

/**
 * Draw a state as books do: a ring, double where a match may end.
 * @param {string} name
 * @param {boolean} accepts
 * @returns {HTMLElement}
 */
function ring(name, accepts) {
  const node = element("span", accepts ? "ring accepts" : "ring", name);
  if (accepts) node.title = "a syllable may end here";
  return node;
}

/**
 * Return a text with a capital at its beginning.
 * @param {string} text
 * @returns {string}
 */
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
