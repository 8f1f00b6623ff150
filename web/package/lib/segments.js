// The segments into which the router cuts a text, each with its route and its units.

import { ORPHAN, PASSTHROUGH, SYLLABLE } from "./header.js";
import { utf8 } from "./decoding.js";

/** @typedef {import("./core.js").Core} Core */
/** @typedef {import("./core.js").Text} Text */
/** @typedef {readonly { name: string, hasUnits: boolean }[]} Routes */
/** @typedef {{ route: string, text: string, start: number, end: number, units: string[], rules: string[] }} Segment */

/** What a unit is, by its rule. @type {Readonly<Record<number, "syllable" | "orphan" | "passthrough">>} */
export const RULES = { [SYLLABLE]: "syllable", [ORPHAN]: "orphan", [PASSTHROUGH]: "passthrough" };

/**
 * The segments of a text.
 * @param {Core} core
 * @param {Routes} routes
 * @param {Text} text
 * @param {Iterable<Text>} parts of it, whose tokens are those of the whole
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
      if (i > 0 || !last || !isOne(core, last, text, segment)) segments.push(segment);
      else {
        last.text += between(last, text, segment) + segment.text;
        last.end = segment.end;
        last.units.push(...segment.units);
        last.rules.push(...segment.rules);
      }
    }
    offset += core.unitsIn(part);
  }
  return segments;
}

/** Whether two neighbouring parts of a text are one segment. @param {Core} core @param {Segment} a @param {Text} text @param {Segment} b */
function isOne(core, a, text, b) {
  if (a.route !== b.route) return false;
  const [first, last] = [a.text.length, a.text.length + between(a, text, b).length];
  const { spans, starts } = core.spans(a.text + between(a, text, b) + b.text);
  return !spans.some((span, i) => span.first && first <= starts[i] && starts[i] <= last);
}

/** @param {Core} core @param {Routes} routes @param {Text} text of at most one part @returns {Segment[]} */
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
    // Including what a step drops in between.
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

/** What a step drops between two segments; unknown for bytes. @param {Segment} a @param {Text} text @param {Segment} b */
const between = (a, text, b) => (typeof text === "string" ? text.slice(a.end, b.start) : "");

/**
 * A function that slices a text, whether it is a string or bytes.
 * @param {Text} text
 * @returns {(span: { start: number, end: number }, start: number, end: number) => string}
 */
export function slicer(text) {
  if (typeof text === "string") {
    const clean = utf8(new TextEncoder().encode(text));
    return (_span, start, end) => clean.slice(start, end);
  }
  return (span) => utf8(text.subarray(span.start, span.end));
}
