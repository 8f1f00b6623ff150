// How numbers are written.

const LEAST = 1e-6; // dollars that are still written out

const whole = new Intl.NumberFormat("en");
const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const ratio = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const cents = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });

/** Return a whole number with commas, such as 1,234. */
export const count = (/** @type {number} */ value) => whole.format(value);
/** Return a ratio with two digits after the point. */
export const times = (/** @type {number} */ value) => ratio.format(value);
/** Return a sum of dollars: with two significant digits below one dollar; above 0, but below LEAST, "less than" that. */
export const money = (/** @type {number} */ value) =>
  value > 0 && value < LEAST ? `less than ${cents.format(LEAST)}` : (value < 1 ? cents : dollars).format(value);
/** Return a number with its word, such as 1 token, 2 tokens. */
export const counted = (/** @type {number} */ value, /** @type {string} */ word) => `${count(value)} ${word}${value === 1 ? "" : "s"}`;
/** Return a number of tokens in words. */
export const tokens = (/** @type {number} */ value) => counted(value, "token");
/** Return a number of bytes with its unit: B, kB or MB, which are powers of 1,000. */
export const bytes = (/** @type {number} */ value) =>
  value < 1000 ? `${value} B` : value < 999_500 ? `${whole.format(Math.round(value / 1e3))} kB` : `${tenth.format(value / 1e6)} MB`;
/** Return bytes as two hexadecimal digits each, in capitals, with spaces between. */
export const hexOf = (/** @type {Uint8Array} */ bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
