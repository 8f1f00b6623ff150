// From a text to the tokens that the page shows.

import { lastCut } from "./cuts.js";

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {string} text the characters it touches, also those it holds only in part
 * @property {"base" | "sgpe" | "spelled"} kind
 * @property {string} route
 * @property {Uint8Array} bytes
 * @property {string[]} units syllables it holds, or, spelled out, the one it is a part of
 * @property {boolean} split whether it cuts a character
 */

/**
 * @param {import("../index.js").Tokenizer} tokenizer
 * @param {string} text
 * @param {number} most tokens to describe
 * @returns {Token[]}
 */
export function describeTokens(tokenizer, text, most) {
  const { ids, starts, ends } = tokenizer.encodeWithOffsets(text);
  const places = unitPlaces(tokenizer, text);
  const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let place = 0;
  return Array.from(ids.subarray(0, most), (id, i) => {
    while (places[place].end <= starts[i]) place++;
    const { route, sgpe } = places[place];
    const units = [];
    for (let p = place; sgpe && p < places.length && places[p].start < ends[i]; p++) {
      units.push(places[p].text);
    }
    const bytes = tokenizer.tokenBytes(id);
    return {
      id,
      text: text.slice(starts[i], ends[i]),
      kind: !sgpe ? "base" : id < tokenizer.info.nBase ? "spelled" : "sgpe",
      route,
      bytes,
      units,
      split: !isWhole(whole, bytes),
    };
  });
}

/**
 * The units of SGPE segments and the other segments as they are, in order, without gaps; UTF-16 units.
 * @param {import("../index.js").Tokenizer} tokenizer
 * @param {string} text
 */
function unitPlaces(tokenizer, text) {
  return tokenizer.segment(text).flatMap(({ route, start, end, text: all, units }) => {
    if (units.length === 0) {
      return [{ start, end, text: all, route, sgpe: false }];
    }
    let at = start;
    return units.map((unit) => ({ start: at, end: (at += unit.length), text: unit, route, sgpe: true }));
  });
}

/**
 * @param {TextDecoder} decoder a fatal one
 * @param {Uint8Array} bytes
 */
function isWhole(decoder, bytes) {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * The beginning of a text, cut so that its tokens are those of the whole; the whole where there is no such place.
 * @param {string} text
 * @param {number} length wanted, in UTF-16 units
 */
export function beginning(text, length) {
  if (text.length <= length) {
    return text;
  }
  const cut = lastCut(text.slice(0, length));
  return cut > 0 ? text.slice(0, cut) : text;
}
