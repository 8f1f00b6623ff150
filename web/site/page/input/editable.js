// Which texts the text area can hold. A browser shapes a whole line again at every key press.
//
// Measured in Chromium 156 on a busy machine with 4 cores, one key in the middle of one line, up to the next frame: Sinhala,
// Devanagari and emoji of 20,000 units 0.1 to 0.2 s, Sinhala of 60,000 up to 0.35 s, of 120,000 from 0.5 to 2 s; Latin of
// 80,000 to 280,000 below 0.1 s; Sinhala of 280,000 in lines of 2,000 below 0.1 s.
// The numbers below keep an input event under about 0.2 s.

const MOST_UNITS = 300_000; // of UTF-16, in all
const MOST_IN_A_LINE = 120_000; // of simple characters
const COMPLEX_WEIGHT = 8; // so a line holds 15,000 complex ones

/** Characters without marks to place or glyphs to join: Latin, Greek, Cyrillic, Armenian, punctuation, Chinese, Japanese, Korean. */
const SIMPLE = /[\0-\u02ff\u0370-\u058f\u2010-\u2027\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]+/g;

/**
 * Tell whether the text area can hold a text without freezing the page.
 * @param {string} text
 * @returns {boolean}
 */
export function isEditable(text) {
  if (text.length * COMPLEX_WEIGHT <= MOST_IN_A_LINE) {
    return true;
  }
  return text.length <= MOST_UNITS && text.split(/\r\n?|\n/).every((line) => weight(line) <= MOST_IN_A_LINE);
}

/**
 * Return how much work a line is for the browser, in simple characters.
 * @param {string} line
 * @returns {number}
 */
function weight(line) {
  return line.length + (COMPLEX_WEIGHT - 1) * line.replace(SIMPLE, "").length;
}
