// How the automata of a file cut a text, a character at a time (FORMAT.md, sections 3 to 5): for teaching, and for whoever writes a
// grammar. The core does the same faster, and says only where units end.

import { readScanners } from "./artifact.js";

const END = 0;
const START = 1;
const RULES = /** @type {const} */ (["syllable", "orphan", "passthrough"]);

/** @typedef {{ text: string, class: number, from: number, to: number, accepts: boolean }} Step */
/** @typedef {{ text: string, rule: (typeof RULES)[number] | "piece", steps: Step[] }} TracedUnit */

/** @param {Uint8Array} blob a file that the core has opened */
export function tracerOf(blob) {
  const { classOf, automata, routes } = readScanners(blob);

  /** @param {{ route: string, text: string, start: number, end: number }} segment */
  return ({ route, text, start, end }) => {
    const { sgpe, scanner } = /** @type {import("./artifact.js").Route} */ (routes.find(({ name }) => name === route));
    // Several pretokenizers in a row, or none, are no one automaton whose steps could be shown.
    if (scanner === null) return { route, text, start, end, states: 0, units: [] };
    const { column, nStates, nColumns, table } = automata[scanner];
    const characters = Array.from(text);
    const columns = characters.map((character) => column[classOf(character.codePointAt(0) ?? 0)]);

    /** @param {number} first */
    const unitFrom = (first) => {
      /** @type {Step[]} */
      const steps = [];
      let [last, rule] = [first, 0];
      for (let at = first, from = START; from !== 0; at++) {
        const entry = table[from * nColumns + (columns[at] ?? END)];
        const [mark, to] = [Math.floor(entry / nStates), entry % nStates];
        if (mark > 0) {
          [last, rule] = [at, mark - 1];
          steps[steps.length - 1].accepts = true;
        }
        steps.push({ text: characters[at] ?? "", class: columns[at] ?? END, from, to, accepts: false });
        from = to;
      }
      return { last, unit: { text: characters.slice(first, last).join(""), rule: sgpe ? RULES[rule] : "piece", steps } };
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
