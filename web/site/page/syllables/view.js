// The automata at work: a text cut by the router, one of its stretches cut by its own machine, with every step.

import { START, readAutomata, trace } from "./automaton.js";
import { classOf } from "./classes.js";
import { element } from "../show/element.js";
import { nameOf } from "../show/markup.js";

/** @typedef {import("./automaton.js").Automata} Automata */
/** @typedef {import("./automaton.js").Piece} Piece */
/** @typedef {import("./automaton.js").Route} Route */
/** @typedef {import("./automaton.js").Step} Step */
/** @typedef {{ text: string, start: number, route: number }} Segment */

const RULES = [
  "syllable",
  "orphan: a sign that only goes on with a syllable, without one before it",
  "no part of a syllable: passed through alone",
];
const SEGMENTS = 60;
const UNITS = 12; // that are shown at once
const MARK = /^\p{M}/u;
/** But for line ends, and what shapes the letters beside it. */
const UNSEEN = /(?![\t\r\n\u200c\u200d])[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const NAMES = new Map([
  [" ", "space"],
  ["\n", "↵"],
  ["\t", "tab"],
  ["\u200d", "ZWJ"],
  ["\u200c", "ZWNJ"],
]);

export class SyllableView {
  #automata;
  #text = "";
  /** @type {Segment[]} */
  #segments = [];
  #chosen = 0;
  /** @type {Piece[]} */
  #pieces = [];
  #shown = UNITS;
  /** Where the segment that the user chose begins, if any was. @type {number | undefined} */
  #wanted;
  #find;

  /** @param {(id: string) => any} find @param {Uint8Array} blob a .wwho file */
  constructor(find, blob) {
    this.#find = find;
    this.#automata = readAutomata(blob);
    find("segments").addEventListener("click", (/** @type {Event} */ event) => {
      const button = /** @type {Element} */ (event.target).closest("button");
      if (!button) return;
      const index = [...find("segments").children].indexOf(button);
      this.#wanted = this.#segments[index].start;
      this.#choose(index);
    });
    find("more-units").addEventListener("click", () => {
      this.#shown += UNITS * 2;
      this.#showUnits();
      if (find("more-units").hidden) find("segments").children[this.#chosen].focus({ preventScroll: true });
    });
  }

  /** @param {string} text */
  show(text) {
    if (text === this.#text) return;
    this.#text = text;
    this.#segments = segmentsOf(this.#automata, text);
    const again = this.#segments.findIndex(({ start }) => start === this.#wanted);
    this.#showSegments();
    this.#choose(again === -1 ? mostToShow(this.#automata, this.#segments) : again);
  }

  #showSegments() {
    const { routes } = this.#automata;
    this.#find("segments").replaceChildren(
      ...this.#segments.map(({ text, route }) => {
        const button = element("button", routes[route].sgpe ? "sgpe" : "base", named(text.replace(/^ (?=.)/u, "")), element("small", "", routes[route].name));
        button.setAttribute("type", "button");
        return button;
      }),
    );
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = index;
    [...this.#find("segments").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    const segment = this.#segments[index];
    const automata = this.#automata;
    this.#pieces = segment ? trace(automata, automata.routes[segment.route].scanner, segment.text) : [];
    this.#shown = UNITS;
    this.#find("grammar-note").replaceChildren(...(segment ? noteOn(automata, segment) : []));
    this.#showUnits();
  }

  #showUnits() {
    const segment = this.#segments[this.#chosen];
    const route = segment && this.#automata.routes[segment.route];
    this.#find("units").replaceChildren(...this.#pieces.slice(0, this.#shown).map((piece) => card(piece, route)));
    this.#find("more-units").hidden = this.#pieces.length <= this.#shown;
  }
}

/** @param {Automata} automata @param {string} text @returns {Segment[]} the first of them */
function segmentsOf(automata, text) {
  if (text === "") return [];
  const pieces = automata.router ? trace(automata, automata.router, text) : [{ text, rule: 0 }];
  let start = 0;
  return pieces.slice(0, SEGMENTS).map(({ text: part, rule: route }) => {
    const segment = { text: part, start, route };
    start += part.length;
    return segment;
  });
}

/** The segment with the most characters in syllables of several. @param {Automata} automata @param {Segment[]} segments */
function mostToShow(automata, segments) {
  const lengths = segments.map(({ text, route }) => {
    const { sgpe, scanner } = automata.routes[route];
    const units = sgpe ? trace(automata, scanner, text).slice(0, UNITS).map((piece) => piece.text.trimStart().length) : [];
    return units.reduce((sum, length) => sum + (length > 1 ? length : 0), 0);
  });
  return lengths.indexOf(Math.max(...lengths));
}

/** @param {Automata} automata @param {Segment} segment @returns {(string | Node)[]} */
function noteOn(automata, { route }) {
  const { name, sgpe, scanner, grammar } = automata.routes[route];
  const machine = `a machine of ${scanner.states - 1} states`;
  if (!sgpe) {
    return [`To the router this stretch is “${name}”, in which no syllables are made. ${upper(machine)} cuts it into the pieces that the base BPE ` +
      "works on; the file numbers the classes of its characters and does not name them."];
  }
  const rings = "A double ring: a syllable may end here.";
  if (!grammar) return [`The grammar of this script became ${machine}; the file numbers the classes of its characters. ${rings}`];
  return [`${upper(name)}: `, element("code", "", grammar.grammar), ` became ${machine}. ${rings}`];
}

/** @param {Piece} piece @param {Route} route */
function card(piece, route) {
  const length = Array.from(piece.text).length;
  const steps = piece.steps.map((step, i) => (step.to === 0 ? lastRow(piece, step, i > length, route) : row(step, i >= length, route)));
  const names = ["Character", "Class", "State"].map((name) => {
    const cell = element("th", "", name);
    cell.setAttribute("scope", "col");
    return cell;
  });
  return element(
    "li",
    route.sgpe ? "sgpe" : "base",
    element("p", "unit-face", faceOf(piece)),
    element("p", "unit-rule", route.sgpe ? RULES[piece.rule] : "piece", piece.text.length > 1 && piece.text.startsWith(" ") ? ", with the space before it" : ""),
    element("table", "steps", element("thead", "", element("tr", "", ...names)), element("tbody", "", ...steps)),
  );
}

/** @param {Piece} piece */
const faceOf = ({ text }) => named(text.replace(/^ (?=.)/u, ""));

/** @param {Step} step @param {boolean} ahead whether the character lies behind the piece @param {Route} route */
function row(step, ahead, route) {
  const from = step.from === START ? [ring("start", false), " → "] : ["→ "];
  const code = (step.text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return element(
    "tr",
    ahead ? "ahead" : "",
    element("td", "", glyph(step.text), " ", element("small", "", `U+${code}`)),
    element("td", "", ...className(step, route)),
    element("td", "", ...from, ring(String(step.to), step.accepts)),
  );
}

/**
 * What ended the scan, and what came of it.
 * @param {Piece} piece @param {Step} step @param {boolean} back whether characters that were read are given back
 * @param {Route} route
 */
function lastRow(piece, step, back, route) {
  const next = step.text === "" ? ["The stretch ends"] : ["Next is ", glyph(step.text), " (", ...className(step, route), "), no way on"];
  const cell = element("td", "", ...next, back ? ", so it goes back" : "", ": ", element("span", "stop", "emits ", faceOf(piece)));
  cell.setAttribute("colspan", "3");
  return element("tr", "ahead", cell);
}

/** @param {string} text one character */
const glyph = (text) => element("span", NAMES.has(text) ? "glyph chip" : "glyph", named(MARK.test(text) ? `◌${text}` : text));

/** @param {Step} step @param {Route} route @returns {(string | Node)[]} */
function className({ text, column }, route) {
  const found = classOf(route.grammar, text.codePointAt(0) ?? 0);
  if (found) return [element("b", "", found.name), ` ${found.words}`];
  if (text === " ") return ["space"];
  return [route.grammar ? "no class" : `class ${column}`];
}

/** A state, as it is drawn in books: a ring, double where a match may end. @param {string} name @param {boolean} accepts */
function ring(name, accepts) {
  const node = element("span", accepts ? "ring accepts" : "ring", name);
  if (accepts) node.title = "a syllable may end here";
  return node;
}

/** What cannot be seen, or turns around what can, gets its name. @param {string} text */
function named(text) {
  const shown = NAMES.get(text) ?? (text.trim() === "" ? text.replaceAll("\n", "↵").replaceAll(" ", "␣") : text);
  return shown.replace(UNSEEN, (character) => `[${nameOf(character)}]`);
}

/** @param {string} text */
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
