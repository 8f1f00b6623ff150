// How the automata of a file cut a text, a character at a time (FORMAT.md, AUTOMATA to ROUTES), for teaching and for authors of
// grammars; the core does the same faster, but says only where units end. Also how a SCRIPT model writes a text (FORMAT.md, NORMALIZER).

import { OF } from "./core.js";
import { newDecoder, utf8 } from "./text.js";

const END = 0;
const START = 1;
/** The action KEEP of a stage. */
const KEEP = 0;
const RULES = /** @type {const} */ (["syllable", "orphan", "passthrough"]);

/** A symbol of SCRIPT has two bytes; the first one never occurs in UTF-8. */
const SYMBOL = 0xf5;
const SECOND = 2;
const PER_FIRST = 240;

/** @typedef {{ text: string, class: number, from: number, to: number, accepts: boolean }} Step */
/** @typedef {{ text: string, rule: (typeof RULES)[number] | "piece" | "character" | "bytes", steps: Step[], symbols?: number[], block?: string }} TracedUnit */

/** @param {import("./core.js").Core} core */
export function tracerOf(core) {
  const numbers = core.info(OF.TOKENIZER);
  const nClasses = numbers.n_classes ?? 0;
  const routes = Array.from({ length: numbers.n_routes ?? 0 }, (_, i) => routeOf(core, i));

  /** @param {{ route: string, text: string, start: number, end: number }} segment */
  return ({ route, text, start, end }) => {
    const { hasUnits, automaton } = /** @type {ReturnType<typeof routeOf>} */ (routes.find(({ name }) => name === route));
    // Without exactly one pretokenizer, there is no single automaton whose steps could be shown.
    if (automaton === null) return { route, text, start, end, states: 0, units: [] };
    const nStates = core.info(OF.AUTOMATON, automaton).n_states ?? 1;
    const characters = Array.from(text);
    const classes = characters.map((character) => core.classOf(character.codePointAt(0) ?? 0));

    /** @param {number} first */
    const unitFrom = (first) => {
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
      const { last, unit } = unitFrom(at);
      units.push(/** @type {TracedUnit} */ (unit));
      at = last;
    }
    return { route, text, start, end, states: nStates - 1, units };
  };
}

/**
 * The automaton that cuts the segments of a route: that of its units, or that of its only stage, if it keeps every match.
 * @param {import("./core.js").Core} core
 * @param {number} number
 */
function routeOf(core, number) {
  const name = utf8(core.routeName(number));
  const { units } = core.info(OF.ROUTE, number);
  if (units !== null) return { name, hasUnits: true, automaton: units };
  const stages = core.list(OF.ROUTE, number, "stage");
  const keepsAll = stages.length === 1 && core.list(OF.STAGE, stages[0], "action").every((action) => action === KEEP);
  return { name, hasUnits: false, automaton: keepsAll ? core.info(OF.STAGE, stages[0]).automaton : null };
}

/**
 * How a SCRIPT model writes the characters of a pretoken.
 * @param {Uint8Array} piece
 * @param {(text: Uint8Array) => Uint8Array} write its symbols: the texts of its tokens
 * @param {Readonly<Record<string, string>>} provenance
 * @returns {TracedUnit[]}
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

/** The characters of a text, each byte of broken UTF-8 as one. @param {Uint8Array} text */
function charactersOf(text) {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const found = [];
  for (let at = 0, n = 1; at < text.length; at += n) {
    for (n = text[at] < 0xc2 ? 1 : Math.min(text[at] < 0xe0 ? 2 : text[at] < 0xf0 ? 3 : 4, text.length - at); n > 1; n = 1) {
      try {
        strict.decode(text.subarray(at, at + n));
        break;
      } catch {
        // a byte of broken UTF-8
      }
    }
    found.push(text.subarray(at, at + n));
  }
  return found;
}
