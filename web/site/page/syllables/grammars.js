// The grammars of the shipped schemas. Written by tools/gen_page.mjs.

/** `source`: of the schema, as in the provenance of what was made of it; `classes`: their code points, from and to.
 * @typedef {{ source: string, grammar: string, classes: Record<string, [number, number][]> }} Grammar */

/** @type {Readonly<Record<string, Grammar>>} by the name of the route */
export const GRAMMARS = {
  sinhala: {"source":"sha256 8447ad136967c5ebb42c122c1e035c8c50333d997e085c47ce13ea563ae22af8","grammar":"C (Z? H Z? C)* (P | H Z?)? M? | V M?","classes":{"C":[[3482,3526]],"V":[[3461,3478]],"P":[[3535,3551],[3570,3571]],"H":[[3530,3530]],"Z":[[8205,8205]],"M":[[3458,3458],[3459,3459]]}},
  devanagari: {"source":"sha256 3d5876e4558d4fea076f172399b4f14fd08e44f47c367b67ffa5b8338e668e39","grammar":"(C N? (H Z? C N?)* (P | H Z?)? | V | S | A) (M | A)*","classes":{"C":[[2325,2361],[2392,2399],[2424,2431]],"V":[[2308,2324],[2400,2401],[2418,2423],[43262,43262]],"P":[[2362,2363],[2366,2380],[2382,2383],[2389,2391],[2402,2403],[43263,43263]],"H":[[2381,2381]],"Z":[[8205,8205],[8204,8204]],"N":[[2364,2364]],"M":[[2304,2307],[2385,2388],[7376,7418],[43232,43255]],"A":[[2365,2365]],"S":[[2384,2384]]}},
};
