// What the classes of the shipped grammars are called. An artifact numbers them; the names stand in schemas/sinhala.json and
// schemas/devanagari.json, and a test compares. An artifact made from other schemas of these names tells by their digests.

/** @typedef {{ name: string, words: string, ranges: [number, number][] }} Class */

/** @typedef {{ source: string, grammar: string, classes: Class[] }} Grammar `source`: of the schema, as in the provenance */

/** @type {Readonly<Record<string, Grammar>>} by the name of the route */
export const GRAMMARS = Object.freeze({
  sinhala: {
    source: "sha256 8447ad136967c5ebb42c122c1e035c8c50333d997e085c47ce13ea563ae22af8",
    grammar: "C (Z? H Z? C)* (P | H Z?)? M? | V M?",
    classes: [
      { name: "C", words: "consonant", ranges: [[0xd9a, 0xdc6]] },
      { name: "V", words: "vowel letter", ranges: [[0xd85, 0xd96]] },
      { name: "P", words: "vowel sign", ranges: [[0xdcf, 0xddf], [0xdf2, 0xdf3]] },
      { name: "H", words: "hal, mutes the vowel", ranges: [[0xdca, 0xdca]] },
      { name: "Z", words: "joiner", ranges: [[0x200d, 0x200d]] },
      { name: "M", words: "final sign", ranges: [[0xd82, 0xd82], [0xd83, 0xd83]] },
    ],
  },
  devanagari: {
    source: "sha256 3d5876e4558d4fea076f172399b4f14fd08e44f47c367b67ffa5b8338e668e39",
    grammar: "(C N? (H Z? C N?)* (P | H Z?)? | V | S | A) (M | A)*",
    classes: [
      { name: "C", words: "consonant", ranges: [[0x915, 0x939], [0x958, 0x95f], [0x978, 0x97f]] },
      { name: "V", words: "vowel letter", ranges: [[0x904, 0x914], [0x960, 0x961], [0x972, 0x977], [0xa8fe, 0xa8fe]] },
      {
        name: "P",
        words: "vowel sign",
        ranges: [[0x93a, 0x93b], [0x93e, 0x94c], [0x94e, 0x94f], [0x955, 0x957], [0x962, 0x963], [0xa8ff, 0xa8ff]],
      },
      { name: "H", words: "halant, mutes the vowel", ranges: [[0x94d, 0x94d]] },
      { name: "Z", words: "joiner", ranges: [[0x200d, 0x200d], [0x200c, 0x200c]] },
      { name: "N", words: "nukta, a dot", ranges: [[0x93c, 0x93c]] },
      { name: "M", words: "final sign", ranges: [[0x900, 0x903], [0x951, 0x954], [0x1cd0, 0x1cfa], [0xa8e0, 0xa8f7]] },
      { name: "A", words: "avagraha", ranges: [[0x93d, 0x93d]] },
      { name: "S", words: "om", ranges: [[0x950, 0x950]] },
    ],
  },
});

/**
 * @param {Grammar | undefined} grammar
 * @param {number} codePoint
 * @returns {Class | undefined} none for what the grammar has no name for
 */
export function classOf(grammar, codePoint) {
  return grammar?.classes.find(({ ranges }) => ranges.some(([from, to]) => from <= codePoint && codePoint <= to));
}
