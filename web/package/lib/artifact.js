// What the core does not hand out of an artifact: the class map and the automata, for what runs them a step at a time.
// Read only after the core has checked the file (FORMAT.md sections 1 to 5).

const HEADER_BYTES = 20;
const ENTRY_BYTES = 12;
const CLASSES = 1;
const AUTOMATA = 2;
const STAGES = 3;
const ROUTES = 4;
const MODEL = 5;
/** Where the pages of classes begin in their section: behind two counts and page[8704]. */
const PAGES_AT = 4 + 2 * 8704;
/** Where a model's own part begins: behind the head of all models. For BPE, the number of superwords is first. */
const MODEL_HEAD = 32;
const NONE = 0xffff;

/**
 * @param {Uint8Array} blob
 * @param {number} kind
 * @returns {DataView[]}
 */
function sections(blob, kind) {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const found = [];
  for (let i = 0; i < view.getUint16(10, true); i++) {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    if (view.getUint32(at, true) === kind) {
      found.push(new DataView(blob.buffer, blob.byteOffset + view.getUint32(at + 4, true), view.getUint32(at + 8, true)));
    }
  }
  return found;
}

/** @param {DataView} view @param {number} at @param {number} length */
function utf8(view, at, length) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    new Uint8Array(/** @type {ArrayBuffer} */ (view.buffer), view.byteOffset + at, length),
  );
}

/** @typedef {{ name: string, sgpe: boolean, scanner: number | null }} Route `scanner`: what cuts it, if that is one automaton alone */

/**
 * @param {Uint8Array} blob a file that the core has opened
 * @returns {Route[]}
 */
function readRoutes(blob) {
  const [view] = sections(blob, ROUTES);
  const stages = readStages(blob);
  const routes = [];
  for (let i = 0, at = 4; i < view.getUint16(2, true); i++) {
    const [nStages, units] = [view.getUint8(at + 1), view.getUint16(at + 2, true)];
    const only = nStages === 1 ? stages[view.getUint16(at + 4, true)] : null;
    at += 4 + 2 * nStages;
    const length = view.getUint8(at);
    routes.push({ name: utf8(view, at + 1, length), sgpe: units !== NONE, scanner: units === NONE ? only : units });
    at += 1 + length;
  }
  return routes;
}

/** The automaton of each stage that keeps all it matches; null for others. @param {Uint8Array} blob @returns {(number | null)[]} */
function readStages(blob) {
  const [view] = sections(blob, STAGES);
  const rules = readAutomata(blob).map(({ nRules }) => nRules);
  const stages = [];
  for (let i = 0, at = 2; i < view.getUint16(0, true); i++) {
    const automaton = view.getUint16(at + 2, true);
    const actions = Array.from({ length: rules[automaton] }, (_, k) => view.getUint8(at + 4 + k));
    stages.push(actions.every((action) => action === 0) ? automaton : null);
    at = aligned(at + 4 + actions.length, 2);
  }
  return stages;
}

/** @typedef {{ column: Uint16Array, nStates: number, nColumns: number, nRules: number, table: Uint32Array }} Automaton */

/**
 * The class of each code point, the automata over classes, which of them are the router's and the routes', and whether some merges
 * join words.
 * @param {Uint8Array} blob a file that the core has opened
 */
export function readScanners(blob) {
  const [{ buffer, byteOffset, byteLength }] = sections(blob, CLASSES);
  const classes = new DataView(buffer.slice(byteOffset, byteOffset + byteLength)); // outlives the blob
  const router = sections(blob, ROUTES)[0].getUint16(0, true);
  const nClasses = classes.getUint16(0, true);
  const place = (/** @type {number} */ codePoint) => 128 * classes.getUint16(4 + 2 * (codePoint >> 7), true) + (codePoint & 127);
  return {
    nClasses,
    classOf: (/** @type {number} */ codePoint) =>
      nClasses > 256 ? classes.getUint16(PAGES_AT + 2 * place(codePoint), true) : classes.getUint8(PAGES_AT + place(codePoint)),
    automata: readAutomata(blob),
    router: router === NONE ? null : router,
    routes: readRoutes(blob),
    superwords: sections(blob, MODEL).some((model) => model.getUint8(0) === 1 && model.getUint32(MODEL_HEAD, true) > 0),
  };
}

/** @param {number} at @param {number} size a power of two */
const aligned = (at, size) => at + (-at & (size - 1));

/** @param {Uint8Array} blob @returns {Automaton[]} */
function readAutomata(blob) {
  const [view] = sections(blob, AUTOMATA);
  const nClasses = sections(blob, CLASSES)[0].getUint16(0, true);
  const automata = [];
  for (let i = 0, at = 4; i < view.getUint16(0, true); i++) {
    const [nStates, nColumns, nRules] = [view.getUint16(at, true), view.getUint16(at + 2, true), view.getUint16(at + 4, true)];
    const wideColumns = nColumns > 256;
    const columns = at + 8;
    const column = Uint16Array.from({ length: nClasses }, (_, k) =>
      wideColumns ? view.getUint16(columns + 2 * k, true) : view.getUint8(columns + k),
    );
    const start = aligned(columns + (wideColumns ? 2 : 1) * nClasses, 2);
    const wide = (nRules + 1) * nStates > 65536;
    const table = Uint32Array.from({ length: nStates * nColumns }, (_, k) =>
      wide ? view.getUint32(start + 4 * k, true) : view.getUint16(start + 2 * k, true),
    );
    at = aligned(start + (wide ? 4 : 2) * table.length, 4);
    automata.push({ column, nStates, nColumns, nRules, table });
  }
  return automata;
}
