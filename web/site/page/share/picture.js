// A picture of the comparison for sharing: the text, a bar for each row in which every token is a block, the numbers, a line at the bottom.

import { count, times } from "../show/format.js";

const [WIDTH, HEIGHT] = [1200, 630]; // what link previews show
const EDGE = 64;
const PAPER = "#ffffff";
const INK = "#16181d";
const SOFT = "#565b66";
const BLOCKS = ["#8cc5ff", "#86dba6", "#ffd76a", "#c9b0ff"];
const CUT = "#c5221f";
const FONT = 'system-ui, "Noto Sans", "Noto Sans Sinhala", "Noto Sans Devanagari", sans-serif';

/** @typedef {{ label: string, count: number, cuts: boolean[] }} Bar `cuts`: for each shown token, whether it cuts a syllable */

/**
 * Return a picture of the comparison.
 * @param {string} text of which the beginning is shown
 * @param {readonly Bar[]} bars by row; the last is what the others are compared with
 * @param {string} imprint the line at the bottom, such as the address of the page
 * @returns {Promise<Blob>} PNG, of 1200 by 630 pixels
 * @throws {Error} the browser cannot draw it
 */
export function drawPicture(text, bars, imprint) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  drawText(pen, text);
  const most = Math.max(...bars.map((bar) => bar.count), 1);
  const least = bars.at(-1)?.count ?? 0;
  bars.forEach((bar, i) => drawBar(pen, bar, 262 + i * 100, most, i + 1 < bars.length && least > 0 ? bar.count / least : 0));
  write(pen, "WWHO keeps syllables whole", EDGE, HEIGHT - 44, `600 26px ${FONT}`, INK);
  pen.textAlign = "right";
  write(pen, imprint, WIDTH - EDGE, HEIGHT - 44, `26px ${FONT}`, SOFT);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser could not draw the picture"))), "image/png");
  });
}

/**
 * Draw one line of text.
 * @param {CanvasRenderingContext2D} pen its font and colour change
 * @param {string} text
 * @param {number} x in pixels, by the pen's alignment
 * @param {number} y of the baseline, in pixels
 * @param {string} font
 * @param {string} colour
 */
function write(pen, text, x, y, font, colour) {
  [pen.font, pen.fillStyle] = [font, colour];
  pen.fillText(text, x, y);
}

/**
 * Draw the beginning of a text, as much as fits three lines.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 */
function drawText(pen, text) {
  pen.font = `38px ${FONT}`;
  const lines = [""];
  for (const word of text.slice(0, 1000).split(/(?<=\s)/)) {
    if (pen.measureText(lines[lines.length - 1] + word).width > WIDTH - 2 * EDGE && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += word.replace(/\s+/g, " ");
  }
  const shown = lines.slice(0, 3);
  if (lines.length > 3) shown[2] = `${shown[2].trimEnd()} …`;
  shown.forEach((line, i) => {
    pen.save();
    pen.beginPath();
    pen.rect(EDGE, 0, WIDTH - 2 * EDGE, HEIGHT);
    pen.clip();
    write(pen, line.trimEnd(), EDGE, 92 + i * 58, `38px ${FONT}`, INK);
    pen.restore();
  });
}

/**
 * Draw a row: its label, its number of tokens, and a bar in which every token is a block.
 * @param {CanvasRenderingContext2D} pen
 * @param {Bar} bar
 * @param {number} y of the label's baseline, in pixels
 * @param {number} most the count of a bar of the full width
 * @param {number} ratio the count as a multiple of that of the last row; 0 for none
 */
function drawBar(pen, bar, y, most, ratio) {
  write(pen, bar.label, EDGE, y, `600 26px ${FONT}`, INK);
  const number = `${count(bar.count)} ${bar.count === 1 ? "token" : "tokens"}${ratio ? `, ${times(ratio)} ×` : ""}`;
  pen.textAlign = "right";
  write(pen, number, WIDTH - EDGE, y, `600 26px ${FONT}`, ratio > 1 ? CUT : INK);
  pen.textAlign = "left";
  const width = ((WIDTH - 2 * EDGE) * bar.count) / most;
  const block = width / Math.max(bar.cuts.length, 1);
  const gap = Math.min(3, block / 3);
  bar.cuts.forEach((cut, i) => {
    pen.fillStyle = cut ? CUT : BLOCKS[i % BLOCKS.length];
    pen.fillRect(EDGE + i * block, y + 16, block - gap, 36);
  });
}

/**
 * Share a picture with another program, where a finger is used and the browser can; otherwise save it under its name.
 * @param {Blob} png
 * @param {string} name
 * @returns {Promise<void>}
 */
export async function sharePicture(png, name) {
  const files = [new File([png], name, { type: "image/png" })];
  // Only where a finger is: there the system's own list of programs is what people know.
  if (matchMedia("(hover: none)").matches && navigator.canShare?.({ files })) {
    return navigator.share({ files }).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(png);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
