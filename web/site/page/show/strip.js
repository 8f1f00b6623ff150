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
 * @property {readonly ({ price: number, priced: string } | undefined)[]} prices dollars for a million tokens of each row, and of which model
 */

/** Show the tokens of each row as a number and a bar, and the cost. @param {Counted} counted */
export function showCounts({ labels, counts, prices }) {
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
  showCosts(prices);
}

/**
 * Return the tokens of a row as a multiple of those of the last row, in words.
 * @param {readonly (number | undefined)[]} counts by row
 * @param {number} row
 * @param {readonly string[]} labels by row
 * @returns {string} such as "2.10 × WWHO"; "" for the last row, and where a count is missing or 0
 */
export function taxOf(counts, row, labels) {
  const [mine, least] = [counts[row], counts.at(-1)];
  return row + 1 < counts.length && mine && least ? `${times(mine / least)} × ${labels.at(-1)}` : "";
}

/**
 * Tell whether the price, if there is one, and the number of texts are within their limits.
 * @returns {boolean}
 */
const payable = () => ["price", "texts"].every((id) => find(id).validity.valid);

/**
 * Return what a row costs, and at what price, in words.
 * @param {number} tokens of one text
 * @param {number} texts
 * @param {number | undefined} own the price that the user gave, in dollars for a million tokens
 * @param {{ price: number, priced: string } | undefined} sold the row's own
 */
export function costOf(tokens, texts, own, sold) {
  const price = own ?? sold?.price;
  if (price === undefined) return { cost: "–", rate: "no price known" };
  return { cost: money((tokens * price * texts) / MILLION), rate: own === undefined ? `at ${money(price)}, ${sold?.priced}` : `at ${money(price)}` };
}

/** Show the cost of the counts in the strip. @param {Counted["prices"]} prices */
export function showCosts(prices) {
  const [price, texts] = ["price", "texts"].map((id) => find(id).valueAsNumber);
  prices.forEach((sold, row) => {
    const { count: tokens } = find(`count-${row}`).dataset;
    const { cost, rate } = costOf(Number(tokens), texts || 0, Number.isNaN(price) ? undefined : price, sold);
    const isShown = tokens !== undefined && payable();
    find(`cost-${row}`).textContent = isShown ? cost : "–";
    find(`rate-${row}`).textContent = isShown ? rate : "";
  });
  find("cost-note").hidden = payable();
}
