// Runs the automata of a .wwho file a step at a time (FORMAT.md sections 3 to 5). The core does the same faster and says only
// where pieces end; the page wants to show every step.

import { readProvenance, readScanners } from "../../package/lib/artifact.js";
import { GRAMMARS } from "./classes.js";

/** Column 0 of every automaton. */
const END = 0;
export const START = 1;

/** @param {number} entry of a table @returns {number} the rule whose match ends before the character, plus one; 0 for none */
const markOf = (entry) => entry >> 10;
/** @param {number} entry of a table @returns {number} the next state, 0 where the scan is over */
const nextOf = (entry) => entry & 1023;

/**
 * @typedef {object} Automaton
 * @property {number} states the dead one included
 * @property {Uint8Array} columns of each class
 * @property {(state: number, column: number) => number} entry
 */

/** @typedef {import("./classes.js").Grammar} Grammar */
/** @typedef {{ name: string, sgpe: boolean, scanner: Automaton, grammar: Grammar | undefined }} Route `grammar`: if it is a shipped one */

/**
 * @typedef {object} Automata
 * @property {(codePoint: number) => number} classOf
 * @property {Automaton | undefined} router
 * @property {Route[]} routes
 */

/**
 * @param {Uint8Array} blob a file that the core has opened, so nothing is checked again
 * @returns {Automata}
 */
export function readAutomata(blob) {
  const { classOf, automata, router, routes } = readScanners(blob);
  const provenance = readProvenance(blob);
  const all = automata.map(({ column, nColumns, table }) => ({
    states: table.length / nColumns,
    columns: column,
    entry: (/** @type {number} */ state, /** @type {number} */ at) => table[state * nColumns + at],
  }));
  return {
    classOf,
    router: router === null ? undefined : all[router],
    routes: routes.map(({ name, sgpe, scanner }) => {
      const shipped = GRAMMARS[name];
      return { name, sgpe, scanner: all[scanner], grammar: provenance[`schema:${name}`] === shipped?.source ? shipped : undefined };
    }),
  };
}

/**
 * @typedef {object} Step
 * @property {string} text the character that is read; empty at the end of the text
 * @property {number} column that the automaton sees it as
 * @property {number} from
 * @property {number} to 0 where the scan is over
 * @property {boolean} accepts whether a piece may end behind the character
 */

/**
 * @typedef {object} Piece
 * @property {string} text
 * @property {number} rule 0 SYLLABLE, 1 ORPHAN, 2 PASSTHROUGH for the scanners of SGPE routes
 * @property {Step[]} steps the last one is what ended the scan
 */

/**
 * Cut a segment, and keep every step.
 * @param {Automata} automata
 * @param {Automaton} scanner
 * @param {string} text a segment of the scanner's route
 * @returns {Piece[]}
 */
export function trace(automata, scanner, text) {
  const characters = Array.from(text.toWellFormed());
  const columns = characters.map((character) => scanner.columns[automata.classOf(character.codePointAt(0) ?? 0)]);
  const pieces = [];
  for (let start = 0; start < characters.length; ) {
    const { end, rule, steps } = match(scanner, characters, columns, start);
    pieces.push({ text: characters.slice(start, end).join(""), rule, steps });
    start = end;
  }
  return pieces;
}

/**
 * @param {Automaton} scanner
 * @param {string[]} characters
 * @param {number[]} columns
 * @param {number} start
 */
function match(scanner, characters, columns, start) {
  /** @type {Step[]} */
  const steps = [];
  let end = start;
  let rule = 0;
  for (let at = start, from = START; from !== 0; at++) {
    const column = columns[at] ?? END;
    const entry = scanner.entry(from, column);
    if (markOf(entry) > 0) {
      end = at;
      rule = markOf(entry) - 1;
      steps[steps.length - 1].accepts = true;
    }
    steps.push({ text: characters[at] ?? "", column, from, to: nextOf(entry), accepts: false });
    from = nextOf(entry);
  }
  return { end, rule, steps };
}
