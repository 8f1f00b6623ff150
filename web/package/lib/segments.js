// The segments into which the router cuts a text, each with its route and its units.

import { ORPHAN, PASSTHROUGH, SYLLABLE } from "./header.js";
import { utf8 } from "./decoding.js";

/** @typedef {import("./core.js").Core} Core */
/** @typedef {import("./core.js").Text} Text */
/** @typedef {readonly { name: string, hasUnits: boolean }[]} Routes */
/** @typedef {{ route: string, text: string, start: number, end: number, units: string[], rules: string[] }} Segment */

/** What a unit is, by the number of its rule. @type {Readonly<Record<number, "syllable" | "orphan" | "passthrough">>} */
export const RULES = { [SYLLABLE]: "syllable", [ORPHAN]: "orphan", [PASSTHROUGH]: "passthrough" };

/**
 * Return the segments of a text, each of one route, with their units. A segment that goes on in the next part is one segment.
 * @param {Core} core
 * @param {Routes} routes by their indices
 * @param {Text} text
 * @param {Iterable<Text>} parts of the text, in order, cut where no pretoken or unit is cut
 * @returns {Segment[]} offsets in UTF-16 units of the text
 */
export function segmentsOf(core, routes, text, parts) {
  /** @type {Segment[]} */
  const segments = [];
  let offset = 0;
  for (const part of parts) {
    for (const [i, segment] of segmentsIn(core, routes, part).entries()) {
      segment.start += offset;
      segment.end += offset;
      const last = segments.at(-1);
      // A part may begin inside a segment, but never inside a pretoken or a unit.
      if (i > 0 || !last || !continuesSegment(core, last, text, segment)) segments.push(segment);
      else {
        last.text += textBetween(last, text, segment) + segment.text;
        last.end = segment.end;
        last.units.push(...segment.units);
        last.rules.push(...segment.rules);
      }
    }
    offset += core.utf16Length(part);
  }
  return segments;
}

/**
 * Tell whether two neighbouring segments, of two parts of a text, are one: the core cuts them together, and no segment begins between.
 * If their routes are equal, the core cuts both with the text between them anew, and the results of its last call are gone.
 * @param {Core} core
 * @param {Segment} a the last of a part
 * @param {Text} text the whole text
 * @param {Segment} b the first of the next part
 * @returns {boolean}
 */
function continuesSegment(core, a, text, b) {
  if (a.route !== b.route) return false;
  const between = textBetween(a, text, b);
  const [first, last] = [a.text.length, a.text.length + between.length];
  const { spans, starts } = core.spans(a.text + between + b.text);
  return !spans.some((span, i) => span.first && first <= starts[i] && starts[i] <= last);
}

/**
 * Return the segments of one part of a text.
 * @param {Core} core
 * @param {Routes} routes by their indices
 * @param {Text} text the part
 * @returns {Segment[]} offsets in UTF-16 units of the part; units and rules only for routes that have units
 */
function segmentsIn(core, routes, text) {
  const { spans, starts, ends } = core.spans(text);
  const slice = slicer(text);
  /** @type {Segment[]} */
  const segments = [];
  let begin = 0;
  spans.forEach((span, i) => {
    const { name, hasUnits } = routes[span.route];
    if (span.first) {
      begin = i;
      segments.push({ route: name, text: "", start: starts[i], end: starts[i], units: [], rules: [] });
    }
    const segment = segments[segments.length - 1];
    segment.end = ends[i];
    // The segment's text includes what a step drops between its pretokens.
    if (i + 1 === spans.length || spans[i + 1].first) {
      segment.text = slice({ start: spans[begin].start, end: span.end }, segment.start, segment.end);
    }
    if (hasUnits) {
      segment.units.push(slice(span, starts[i], ends[i]));
      segment.rules.push(RULES[span.rule]);
    }
  });
  return segments;
}

/**
 * Return the text between two segments, which a step dropped; "" if the text is bytes, because offsets are no places in bytes.
 * @param {Segment} a
 * @param {Text} text the whole text
 * @param {Segment} b begins where `a` ends, or later
 * @returns {string}
 */
const textBetween = (a, text, b) => (typeof text === "string" ? text.slice(a.end, b.start) : "");

/**
 * Return a function that slices a text, whether it is a string or bytes. Lone surrogates and broken UTF-8 become U+FFFD.
 * @param {Text} text
 * @returns {(span: { start: number, end: number }, start: number, end: number) => string} takes the slice's bounds twice: in bytes of UTF-8,
 *   and in UTF-16 units
 */
export function slicer(text) {
  if (typeof text === "string") {
    const clean = utf8(new TextEncoder().encode(text));
    return (_span, start, end) => clean.slice(start, end);
  }
  return (span) => utf8(text.subarray(span.start, span.end));
}
