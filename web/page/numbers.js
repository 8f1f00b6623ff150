// The numbers beside the text: tokens of both tokenizers, what one takes beyond the other, and what they cost.

import { count, money, percent, times, tokens as tokensOf } from "./format.js";

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
const SIDES = ["a", "b"];
const MILLION = 1e6;

/**
 * @typedef {object} Counted
 * @property {readonly string[]} names of the tokenizers
 * @property {readonly (number | undefined)[]} counts their tokens
 * @property {number} characters code points
 */

/** @param {Counted} counted */
export function showNumbers({ names, counts, characters }) {
  const most = Math.max(...counts.map((tokens) => tokens ?? 0), 1);
  SIDES.forEach((side, i) => {
    const tokens = counts[i];
    const cell = find(`count-${side}`);
    cell.textContent = tokens === undefined ? "–" : count(tokens);
    if (tokens === undefined) delete cell.dataset.count;
    else cell.dataset.count = String(tokens);
    find(`unit-${side}`).textContent = tokens === 1 ? "token" : "tokens";
    find(`bar-${side}`).style.setProperty("--share", String((tokens ?? 0) / most));
    find(`density-${side}`).textContent = tokens ? `${times(characters / tokens)} characters per token` : "–";
    find(`cost-name-${side}`).textContent = names[i];
    find(`cost-${side}`).textContent = tokens === undefined || !payable() ? "–" : money(cost(tokens));
  });
  find("cost-note").hidden = payable();
  compare(names, counts);
}

/** Whether price and number of texts are in their limits; a field that is empty means 0. */
const payable = () => ["price", "texts"].every((id) => find(id).validity.valid);

/** @param {number} tokens of one text */
function cost(tokens) {
  const [price, texts] = ["price", "texts"].map((id) => find(id).valueAsNumber || 0);
  return (tokens * price * texts) / MILLION;
}

/** @param {readonly string[]} names @param {readonly (number | undefined)[]} counts */
function compare(names, [ours, theirs]) {
  const both = Boolean(ours && theirs);
  const [a, b] = both ? [Number(ours), Number(theirs)] : [1, 1];
  find("tax").textContent = both ? percent(b / a - 1) : "–";
  find("tax-label").textContent = `token tax of ${names[1]}`;
  find("context").textContent = both ? `${times(b / a)}×` : "–";
  find("context-label").textContent = `context multiplier of ${names[0]}`;
  find("summary").textContent = both ? sentence(names, a, b) : "";
}

/** @param {readonly string[]} names @param {number} a @param {number} b tokens */
function sentence([ours, theirs], a, b) {
  if (a === b) return `${ours} and ${theirs} take the same number of tokens, ${count(a)}.`;
  const [more, fewer, most, least] = a < b ? [theirs, ours, b, a] : [ours, theirs, a, b];
  return `${more} takes ${tokensOf(most - least)} more, so ${times(most / least)} times as much of such text fits into one context with ${fewer}.`;
}
