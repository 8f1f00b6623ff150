// What stands around the ids of a text, or of two: the model's template, such as [CLS] and [SEP].

import { OF } from "./core.js";
import { joined } from "./parts.js";

/** @typedef {{ what: string, type: number, id: number }} Place "first" or "second" for a text, "id" for an id */
/** @typedef {{ ids: Uint32Array, starts?: Uint32Array, ends?: Uint32Array }} Tokens */

/** Where the model has no template. @type {Place[]} */
const PLAIN = [
  { what: "first", type: 0, id: 0 },
  { what: "second", type: 1, id: 0 },
];

/**
 * The places of one text (false) or of two; ids only where they are asked for.
 * @param {import("./core.js").Core} core
 * @param {boolean} pair
 * @param {boolean} withIds
 */
export function placesOf(core, pair, withIds) {
  const entries = core.entries(OF.TEMPLATE, Number(pair));
  /** @type {Place[]} */
  const places = [];
  for (let i = 0; i < entries.length; i += 2) {
    const [[, type], [what, id]] = [entries[i], entries[i + 1]];
    places.push({ what, type: type ?? 0, id: id ?? 0 });
  }
  if (places.length === 0) return PLAIN.slice(0, pair ? 2 : 1);
  return withIds ? places : places.filter(({ what }) => what !== "id");
}

/**
 * The ids of texts and of a template, the type of each, and where they stand: an id of the template nowhere, which is 0 to 0.
 * @param {Place[]} places
 * @param {Record<string, Tokens>} texts under the names of places
 */
export function filled(places, texts) {
  const parts = places.map(({ what, type, id }) => {
    const nowhere = { starts: new Uint32Array(1), ends: new Uint32Array(1) };
    const { ids, starts, ends } = texts[what] ?? { ids: Uint32Array.of(id), ...nowhere };
    return { ids, starts: starts ?? ids, ends: ends ?? ids, types: new Uint8Array(ids.length).fill(type) };
  });
  return {
    ids: joined(parts.map(({ ids }) => ids)),
    starts: joined(parts.map(({ starts }) => starts)),
    ends: joined(parts.map(({ ends }) => ends)),
    types: joined(parts.map(({ types }) => types)),
  };
}
