// The strip that stays visible: how many tokens each row takes, as a number and a bar, and as a multiple of the last row. Below the
// rows, the cost.

import { count, money, times } from "./format.js";

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);
const MILLION = 1e6;

/**
 * @typedef {object} Counted
 * @property {readonly string[]} labels the names of the rows
 * @property {readonly (number | undefined)[]} counts their tokens
 */

/** Show the tokens of each row as a number and a bar, and the cost. @param {Counted} counted */
export function showCounts({ labels, counts }) {
  const most = Math.max(...counts.map((tokens) => tokens ?? 0), 1);
  counts.forEach((tokens, row) => {
    find(`name-${row}`).textContent = labels[row];
    const cell = find(`count-${row}`);
    cell.textContent = tokens === undefined ? "–" : count(tokens);
    cell.parentElement.style.setProperty("--digits", cell.textContent.length); // to fit a narrow screen
    if (tokens === undefined) delete cell.dataset.count;
    else cell.dataset.count = String(tokens);
    find(`unit-${row}`).textContent = tokens === 1 ? "token" : "tokens";
    find(`bar-${row}`).setAttribute("width", `${(100 * (tokens ?? 0)) / most}%`);
    find(`tax-${row}`).textContent = taxOf(counts, row, labels);
  });
  const said = counts.flatMap((tokens, row) => (tokens === undefined ? [] : [`${labels[row]}: ${count(tokens)}`]));
  find("summary").textContent = said.length > 0 ? `Tokens. ${said.join(", ")}.` : "";
  labels.forEach((label, row) => (find(`cost-name-${row}`).textContent = label));
  showCosts();
}

/**
 * Return the tokens of a row as a multiple of those of the last row, in words; "" for the last row.
 * @param {readonly (number | undefined)[]} counts
 * @param {number} row
 * @param {readonly string[]} labels
 */
export function taxOf(counts, row, labels) {
  const [mine, least] = [counts[row], counts.at(-1)];
  return row + 1 < counts.length && mine && least ? `${times(mine / least)} × ${labels.at(-1)}` : "";
}

/** Tell whether the price and the number of texts are within their limits; an empty field means 0. */
const payable = () => ["price", "texts"].every((id) => find(id).validity.valid);

/** Show the cost of the counts in the strip, from the price and the number of texts. */
export function showCosts() {
  const [price, texts] = ["price", "texts"].map((id) => find(id).valueAsNumber || 0);
  for (let row = 0; find(`cost-${row}`); row++) {
    const { count: tokens } = find(`count-${row}`).dataset;
    find(`cost-${row}`).textContent = tokens === undefined || !payable() ? "–" : money((tokens * price * texts) / MILLION);
  }
  find("cost-note").hidden = payable();
}
