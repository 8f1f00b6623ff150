// What images cost by OpenAI's rule of tiles, and the size of an image that a data URL holds.

import { argumentError, quoteValue } from "../arguments.js";
import { WwhoError } from "../errors.js";
import { factsOf } from "./names.js";

/** @typedef {{ width: number, height: number }} Size in pixels */

const DETAILS = ["low", "high", "auto"];
/** The side of the square into which an image is fitted first, the length to which its shorter side is reduced then, and the side of a tile. */
const SQUARE = 2048;
const SHORT = 768;
const TILE = 512;
/** The beginning of a file that has its size, in bytes: JPEG may have it later, behind a preview. */
const MOST_BYTES = 1 << 18;

/**
 * Return the tokens of an image. In low detail it costs the model's base, otherwise also as much for each tile of 512 by 512 pixels, after
 * it was fitted into a square of 2048 pixels and its shorter side reduced to 768; small images stay as they are.
 * @param {unknown} url of the image; the size is read from a data URL
 * @param {unknown} detail "low", "high", "auto" (as high) or undefined
 * @param {string} model
 * @param {((url: string) => Size | undefined) | undefined} imageSize gives the sizes of images at other URLs
 * @returns {number}
 * @throws {WwhoError} ARGUMENT if the model has no such rule, or the size is not known
 */
export function imageTokens(url, detail, model, imageSize) {
  if (typeof url !== "string") throw argumentError("the URL of an image", url, "a string; files by their id cannot be counted");
  const [base, tile] = factsOf(model)?.image ?? [];
  if (base === undefined || tile === undefined) {
    throw new WwhoError("ARGUMENT", `what an image costs with ${quoteValue(model)} is not known; leave it out to count the rest`);
  }
  if (detail !== undefined && detail !== null && !DETAILS.includes(/** @type {string} */ (detail))) {
    throw argumentError("the detail of an image", detail, DETAILS.join(", "));
  }
  if (detail === "low") return base;
  const size = imageSize?.(url) ?? sizeInData(url);
  if (size === undefined) {
    const shown = url.length > 60 ? `${url.slice(0, 60)}...` : url;
    throw new WwhoError("ARGUMENT", `the size of the image ${quoteValue(shown)} is not known; give the option imageSize, a function that returns { width, height }`);
  }
  for (const [what, value] of Object.entries({ width: size.width, height: size.height })) {
    if (!(Number.isInteger(value) && value > 0)) throw argumentError(`the ${what} of an image`, value, "a whole number of pixels");
  }
  return base + tile * tilesOf(size.width, size.height);
}

/**
 * Return how many tiles cover an image.
 * @param {number} width in pixels
 * @param {number} height in pixels
 * @returns {number}
 */
function tilesOf(width, height) {
  /** Reduce both sides so that `side` becomes `most`; sides are whole pixels. */
  const reduce = (/** @type {number} */ side, /** @type {number} */ most) => {
    if (side <= most) return;
    [width, height] = [width, height].map((each) => Math.max(1, Math.floor((2 * each * most + side) / (2 * side))));
  };
  reduce(Math.max(width, height), SQUARE);
  reduce(Math.min(width, height), SHORT);
  return Math.ceil(width / TILE) * Math.ceil(height / TILE);
}

/**
 * Return the size of the image in a data URL: PNG, GIF, JPEG or WebP.
 * @param {string} url
 * @returns {Size | undefined} undefined for another URL or format, and for a file that does not say its size at its beginning
 */
function sizeInData(url) {
  const start = /^data:image\/[a-z+.-]+;base64,/i.exec(url);
  if (!start) return undefined;
  const text = url.slice(start[0].length, start[0].length + Math.ceil(MOST_BYTES / 3) * 4);
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
  const view = new DataView(bytes.buffer);
  try {
    for (const read of [sizeOfPng, sizeOfGif, sizeOfJpeg, sizeOfWebp]) {
      const size = read(view);
      if (size) return size;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the file ends before its size
  }
  return undefined;
}

/** Return the size of a PNG, undefined for another file. @param {DataView} view @returns {Size | undefined} */
function sizeOfPng(view) {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Return the size of a GIF, undefined for another file. @param {DataView} view @returns {Size | undefined} */
function sizeOfGif(view) {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/**
 * Return the size of a JPEG, which is in the first segment of a frame; undefined for another file. Frames are the segments 0xC0 to 0xCF
 * except three of them, which are tables.
 * @param {DataView} view
 * @returns {Size | undefined}
 */
function sizeOfJpeg(view) {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let place = 2;
  while (view.getUint8(place) === 0xff) {
    const marker = view.getUint8(place + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(place + 7), height: view.getUint16(place + 5) };
    }
    place += marker === 0xff ? 1 : 2 + view.getUint16(place + 2);
  }
  return undefined;
}

/** Return the size of a WebP, undefined for another file. @param {DataView} view @returns {Size | undefined} */
function sizeOfWebp(view) {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
  const uint24 = (/** @type {number} */ place) => view.getUint16(place, true) + view.getUint8(place + 2) * 0x10000;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    case 0x5650384c: { // VP8L
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503820: // VP8
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}
