// How the automata of a file cut a text, a character at a time (FORMAT.md, AUTOMATA to ROUTES), for teaching and for authors of
// grammars; the core does the same faster, but says only where units end. Also how a SCRIPT model writes a text (FORMAT.md, NORMALIZER).

import { OF_AUTOMATON, OF_ROUTE, OF_TOKENIZER } from "./header.js";
import { CUT, KEEP, listSteps } from "./info.js";
import { RULES } from "./segments.js";
import { charactersOf, newDecoder, utf8 } from "./decoding.js";

const END = 0;
const START = 1;

/** A symbol of SCRIPT has two bytes; the first one never occurs in UTF-8. */
const SYMBOL = 0xf5;
const SECOND = 2;
const PER_FIRST = 240;

/**
 * Tell whether a token's bytes are symbols of SCRIPT, which stand for blocks of Unicode and indices in them.
 * @param {Uint8Array} bytes
 * @returns {boolean} false for no bytes
 */
export const isSymbols = (bytes) =>
  bytes.length > 0 && bytes.length % 2 === 0 && bytes.every((byte, i) => (i % 2 === 0 ? byte >= SYMBOL : byte >= SECOND && byte < SECOND + PER_FIRST));

/** @typedef {{ text: string, class: number, from: number, to: number, accepts: boolean }} Step */
/** @typedef {{ text: string, rule: (typeof RULES)[number] | "piece" | "character" | "bytes", steps: Step[], symbols?: number[], block?: string }} TracedUnit */

/**
 * Return a function that traces a segment of a text: it adds every step of the automaton that cuts the segment. What does not change from
 * text to text is read once.
 * @param {import("./core.js").Core} core
 * @returns a function of a segment; it makes a new object
 */
export function tracerOf(core) {
  const numbers = core.info(OF_TOKENIZER);
  const nClasses = numbers.n_classes ?? 0;
  const routes = Array.from({ length: numbers.n_routes ?? 0 }, (_, i) => routeOf(core, i));

  /**
   * Trace one segment: run its automaton over the text, from unit to unit, with the core's `step`.
   * @param {{ route: string, text: string, start: number, end: number }} segment
   * @returns {{ route: string, text: string, start: number, end: number, states: number, units: TracedUnit[] }} `states` without the one that
   *   ends a scan; no states and no units if the route has no single automaton
   */
  return ({ route, text, start, end }) => {
    const { hasUnits, automaton } = /** @type {ReturnType<typeof routeOf>} */ (routes.find(({ name }) => name === route));
    // Several stages, or one that drops matches: no single automaton's steps could be shown.
    if (automaton === null) return { route, text, start, end, states: 0, units: [] };
    const nStates = core.info(OF_AUTOMATON, automaton).n_states ?? 1;
    const characters = Array.from(text);
    const classes = characters.map((character) => core.classOf(character.codePointAt(0) ?? 0));

    /**
     * Run the automaton from its start, and return the longest match with its steps.
     * @param {number} first the index of the character where the unit begins
     * @returns {{ last: number, unit: object }} the index of the character after the unit
     */
    const traceUnit = (first) => {
      /** @type {Step[]} */
      const steps = [];
      let [last, rule] = [first, 0];
      for (let at = first, from = START; from !== 0; at++) {
        const { rule: found, next: to } = core.step(automaton, from, classes[at] ?? nClasses);
        if (found !== null) {
          [last, rule] = [at, found];
          steps[steps.length - 1].accepts = true;
        }
        const number = at < classes.length ? classes[at] + 1 : END;
        steps.push({ text: characters[at] ?? "", class: number, from, to, accepts: false });
        from = to;
      }
      return { last, unit: { text: characters.slice(first, last).join(""), rule: hasUnits ? RULES[rule] : "piece", steps } };
    };

    /** @type {TracedUnit[]} */
    const units = [];
    for (let at = 0; at < characters.length; ) {
      const { last, unit } = traceUnit(at);
      units.push(/** @type {TracedUnit} */ (unit));
      at = last;
    }
    return { route, text, start, end, states: nStates - 1, units };
  };
}

/**
 * Return a route's name, whether it has units, and the automaton that cuts its segments: that of its units, or that of its only step, if
 * that is a cut which keeps every match.
 * @param {import("./core.js").Core} core
 * @param {number} index of the route
 * @returns {{ name: string, hasUnits: boolean, automaton: number | null }} the index of the automaton; null if no single one cuts them
 */
function routeOf(core, index) {
  const name = utf8(core.routeName(index));
  const { units } = core.info(OF_ROUTE, index);
  if (units !== null) return { name, hasUnits: true, automaton: units };
  const all = listSteps(core);
  const steps = core.listFrom(OF_ROUTE, index, "steps").map((step) => all[step]);
  const keepsAll = steps.length === 1 && steps[0].kind === CUT && steps[0].actions.every((action) => action === KEEP);
  return { name, hasUnits: false, automaton: keepsAll ? steps[0].automaton : null };
}

/**
 * Return the characters of a pretoken with the symbols that a SCRIPT model writes for each, and the block of Unicode that they name.
 * @param {Uint8Array} piece the pretoken, in UTF-8
 * @param {(text: Uint8Array) => Uint8Array} write returns the symbols of a text, two bytes each: the bytes of its tokens
 * @param {Readonly<Record<string, string>>} provenance which has the names of the blocks and the number of indices
 * @returns {TracedUnit[]} one for each character, without steps; of a character without a block, the rule is "bytes"
 */
export function traceScript(piece, write, provenance) {
  const names = provenance.script_blocks.split("\n");
  const nIndices = Number(provenance.script_indices);
  const decoder = newDecoder();
  return charactersOf(piece).map((character) => {
    const written = write(character);
    const symbols = Array.from({ length: written.length / 2 }, (_, i) => (written[2 * i] - SYMBOL) * PER_FIRST + written[2 * i + 1] - SECOND);
    const block = names[symbols[0] - nIndices];
    return { text: decoder.decode(character), rule: block ? "character" : "bytes", steps: [], symbols, ...(block && { block }) };
  });
}
