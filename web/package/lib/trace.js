// How the automata of a file cut a text, a character at a time (FORMAT.md, AUTOMATA to ROUTES): for teaching, and for whoever writes a
// grammar. The core does the same faster, and says only where units end. Or how a model of SCRIPT writes a text (FORMAT.md, PAIRS).

import { OF } from "./core.js";

const END = 0;
const START = 1;
/** The action of a stage that keeps what it matches. */
const KEEP = 0;
const RULES = /** @type {const} */ (["syllable", "orphan", "passthrough"]);

/** What SCRIPT writes: a symbol is two bytes, the first of which no UTF-8 has; a byte stands where the text is to be cut. */
const SYMBOL = 0xf5;
const SECOND = 2;
const PER_FIRST = 240;
const CUT = 1;

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
    // Several pretokenizers in a row, or none, are no one automaton whose steps could be shown.
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
 * What cuts the segments of a route: the automaton of its units, or of its one stage, if that keeps all.
 * @param {import("./core.js").Core} core
 * @param {number} number
 */
function routeOf(core, number) {
  const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(core.routeName(number));
  const { units } = core.info(OF.ROUTE, number);
  if (units !== null) return { name, hasUnits: true, automaton: units };
  const stages = core.list(OF.ROUTE, number, "stage");
  const keepsAll = stages.length === 1 && core.list(OF.STAGE, stages[0], "action").every((action) => action === KEEP);
  return { name, hasUnits: false, automaton: keepsAll ? core.info(OF.STAGE, stages[0]).automaton : null };
}

/**
 * How a model of SCRIPT cuts a text and writes its characters; undefined of any other model.
 * @param {import("./core.js").Core} core
 * @param {string} route
 * @param {Readonly<Record<string, string>>} provenance
 * @param {import("./core.js").Text} text
 */
export function traceScript(core, route, provenance, text) {
  const { bytes, sources } = core.normalize(text);
  // Of bytes, some may be no UTF-8 themselves.
  const shown = typeof text === "string" ? bytes : core.normalize(new TextDecoder().decode(text)).bytes;
  if (!shown.some((byte) => byte >= SYMBOL)) return undefined;
  const given = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const numberAt = (/** @type {Uint8Array} */ from, /** @type {number} */ at) => (from[at] - SYMBOL) * PER_FIRST + from[at + 1] - SECOND;
  // The symbol of the last byte is the last one of all, if bytes have symbols.
  const last = core.normalize(new Uint8Array([0xff])).bytes.filter((byte) => byte !== CUT);
  const firstByte = last.length === 2 ? numberAt(last, 0) - 0xff : Infinity;
  const names = provenance.script_blocks?.split("\n") ?? [];

  /** By the character that they come from, and by piece. @type {{ source: number, symbols: number[] }[][]} */
  const pieces = [[]];
  for (let at = 0; at < bytes.length; at += bytes[at] === CUT ? 1 : 2) {
    const piece = pieces[pieces.length - 1];
    const unit = piece[piece.length - 1];
    if (bytes[at] === CUT) pieces.push([]);
    else if (unit?.source === sources[at]) unit.symbols.push(numberAt(bytes, at));
    else piece.push({ source: sources[at], symbols: [numberAt(bytes, at)] });
  }
  const places = pieces.flat().map(({ source }) => source).concat(given.length);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const decoded = (/** @type {number} */ from, /** @type {number} */ to) => decoder.decode(given.subarray(from, to));
  let number = 0;
  let start = core.unitsIn(given.subarray(0, places[0]));
  return pieces.filter((piece) => piece.length > 0).map((piece) => {
    const units = piece.map(({ source, symbols }) => {
      const isBytes = symbols[0] >= firstByte;
      const block = isBytes ? undefined : names[symbols[0] - Number(provenance.script_indices)];
      return { text: decoded(source, places[++number]), rule: isBytes ? "bytes" : "character", steps: [], symbols, ...(block && { block }) };
    });
    const whole = units.map((each) => each.text).join("");
    const segment = { route, text: whole, start, end: start + whole.length, states: 0, units: /** @type {TracedUnit[]} */ (units) };
    start = segment.end;
    return segment;
  });
}
