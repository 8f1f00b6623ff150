// From the tokens of a text to what the page shows: a part of it, with whole tokens and whole syllables.

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {number} start in UTF-16 units; if the token holds only a part of a character, the start of that character
 * @property {number} end
 * @property {"base" | "syllables" | "fallback"} kind `fallback`: a token of another model for a part of an unknown syllable
 * @property {Uint8Array} [bytes] if they differ from those of its text, because it cuts a character
 */

/**
 * A tokenizer of the package, here or in a Worker.
 * @typedef {object} Tokenizer
 * @property {{ models: readonly Model[], routes: readonly { model: number, hasUnits: boolean }[] }} info
 * @property {(id: number) => Uint8Array | Promise<Uint8Array>} tokenBytes
 */
/**
 * @typedef {object} Encoded places in UTF-16 units
 * @property {ArrayLike<number>} ids
 * @property {ArrayLike<number>} starts
 * @property {ArrayLike<number>} ends
 * @property {ArrayLike<number>} [unitStarts]
 * @property {ArrayLike<number>} [unitEnds]
 * @property {ArrayLike<number>} [unitRoutes]
 */
/** @typedef {{ tokenizer: Tokenizer, encoded: Encoded } | undefined} Side a row with its tokenizer, if it has one, and the tokens of a text */
/** @typedef {{ firstId: number, nIds: number }} Model */
/** @typedef {{ start: number, end: number, text: string, model?: Model }} Unit without a model, text that has no units */

/**
 * A text with its tokens, or a message of a chat.
 * @typedef {object} Block
 * @property {string} [role]
 * @property {string} text
 * @property {number[]} places where a token may begin without cutting a syllable or a character
 * @property {number[]} syllables those of them where a syllable begins
 * @property {(Token[] | undefined)[]} rows tokens, by row
 */

/** How many UTF-16 units of a text are shown, plus some more up to a place where all tokenizers begin a token. */
export const SHOWN = 1600;
const MARGIN = 200; // at their end, where a caret makes the stretch move on
const AROUND = 512; // UTF-16 units in which such a place is looked for, at first

/**
 * Describe the part of a text from one place to another, which should cut no token.
 * @param {string} text
 * @param {readonly Side[]} sides by row, each with the whole text
 * @param {number} [start] in UTF-16 units
 * @param {number} [end] in UTF-16 units
 * @returns {Promise<Block>} places in UTF-16 units of the part
 */
export const describe = (text, sides, start = 0, end = text.length) =>
  blockOf(text.slice(start, end), sides.map((side) => side && within(side, start, end)), unitsBy(sides, text, start, end));

/**
 * Describe the part of a long text that is shown. It begins and ends where all tokenizers begin a token and, if there is such a place
 * nearby, a syllable or a character begins.
 * @param {string} text
 * @param {readonly Side[]} sides by row, each with the whole text
 * @param {number} at the place to show
 * @param {number} former the start of the part that was shown last; it stays while `at` is well inside
 * @returns {Promise<{ start: number, block: Block }>}
 */
export async function describeAround(text, sides, at, former) {
  const { length } = text;
  if (length <= SHOWN) return { start: 0, block: await describe(text, sides) };
  const stays = at >= former && at < former + SHOWN - MARGIN;
  const wanted = stays ? former : Math.max(0, Math.min(at - SHOWN / 2, length - SHOWN));
  for (let around = AROUND; ; around *= 2) {
    const [from, to] = [Math.max(0, wanted - around), Math.min(length, wanted + SHOWN + around)].map((place) => characterAt(text, place));
    const units = unitsBy(sides, text, from, to);
    const clean = new Set(placesIn(units, text.slice(from, to)).places.map((place) => from + place));
    const common = commonStarts(sides, from, to);
    const best = [common.filter((place) => clean.has(place)), common];
    const start = best.map((places) => places.findLast((place) => place <= wanted)).find(isFound) ?? (from === 0 ? 0 : undefined);
    const end = best.map((places) => places.find((place) => place >= wanted + SHOWN)).find(isFound) ?? (to === length ? length : undefined);
    if (start === undefined || end === undefined) continue;
    return { start, block: await describe(text, sides, start, end) };
  }
}

/**
 * Tell whether a search found a place.
 * @param {number | undefined} place
 * @returns {boolean}
 */
const isFound = (place) => place !== undefined;

/**
 * Return a place, or the one before it if it is within a surrogate pair.
 * @param {string} text
 * @param {number} place in UTF-16 units
 * @returns {number}
 */
const characterAt = (text, place) => ((text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place);

/**
 * Return the places between two, both included, where all tokenizers begin a token with a whole character.
 * @param {readonly Side[]} sides with the whole text
 * @param {number} from in UTF-16 units
 * @param {number} to in UTF-16 units
 * @returns {number[]} ascending; none without a tokenizer
 */
function commonStarts(sides, from, to) {
  const [first, ...others] = sides.flatMap((side) => (side ? [startsIn(side.encoded, from, to)] : []));
  return [...(first ?? [])].filter((place) => others.every((each) => each.has(place)));
}

/**
 * Return the places between two, both included, where a token begins that cuts no character.
 * @param {Encoded} encoded
 * @param {number} from in UTF-16 units
 * @param {number} to in UTF-16 units
 * @returns {Set<number>}
 */
function startsIn({ starts, ends }, from, to) {
  const places = new Set();
  for (let i = firstFrom(starts, from); i < starts.length && starts[i] <= to; i++) {
    if (i === 0 || ends[i - 1] <= starts[i]) places.add(starts[i]);
  }
  return places;
}

/**
 * Return the index of the first of ascending numbers that is at least `least`; the number of numbers if none is.
 * @param {ArrayLike<number>} numbers
 * @param {number} least
 * @returns {number}
 */
function firstFrom(numbers, least) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return the tokens that lie between two places of a text, with offsets from the first place; those that reach beyond are left out.
 * @param {NonNullable<Side>} side with the whole text
 * @param {number} start in UTF-16 units
 * @param {number} end in UTF-16 units
 * @returns {NonNullable<Side>} without units
 */
function within({ tokenizer, encoded: { ids, starts, ends } }, start, end) {
  const kept = [];
  for (let i = firstFrom(starts, start); i < ids.length && ends[i] <= end; i++) kept.push(i);
  return {
    tokenizer,
    encoded: { ids: kept.map((i) => ids[i]), starts: kept.map((i) => starts[i] - start), ends: kept.map((i) => ends[i] - start) },
  };
}

/**
 * Return the syllables of a part of a text, and the text between them, by each tokenizer that knows any.
 * @param {readonly Side[]} sides with the whole text
 * @param {string} text the whole text
 * @param {number} from in UTF-16 units
 * @param {number} to in UTF-16 units
 * @returns {(Unit[] | undefined)[]} by row; places in UTF-16 units of the part
 */
function unitsBy(sides, text, from, to) {
  return sides.map((side) => (side && knowsUnits(side.tokenizer) ? unitsOf(side, text, from, to) : undefined));
}

/**
 * Tell whether a tokenizer knows syllables: it routes their scripts away from other text. All text of a SentencePiece model is units, which
 * are characters.
 * @param {Tokenizer} tokenizer
 * @returns {boolean}
 */
export const knowsUnits = ({ info: { routes } }) => routes.some(({ hasUnits }) => hasUnits) && !routes.every(({ hasUnits }) => hasUnits);

/**
 * Return the syllables of a part of a text by one tokenizer, and the text between them; what lies across an end of the part is cut there.
 * @param {NonNullable<Side>} side with the whole text
 * @param {string} text the whole text
 * @param {number} from in UTF-16 units
 * @param {number} to in UTF-16 units
 * @returns {Unit[]} in order, without gaps; places in UTF-16 units of the part
 */
function unitsOf({ tokenizer: { info }, encoded: { unitStarts = [], unitEnds = [], unitRoutes = [] } }, text, from, to) {
  /** @type {Unit[]} */
  const units = [];
  const add = (/** @type {number} */ start, /** @type {number} */ end, /** @type {Model | undefined} */ model = undefined) => {
    const [first, last, before] = [Math.max(start, from), Math.min(end, to), units.at(-1)];
    if (first >= last) return;
    const joins = before && !model && !before.model;
    const begin = joins ? before.start + from : first;
    units.splice(joins ? -1 : units.length, 1, { start: begin - from, end: last - from, text: text.slice(begin, last), model });
  };
  let at = from;
  for (let i = firstFrom(unitEnds, from + 1); i < unitStarts.length && unitStarts[i] < to; i++) {
    add(at, unitStarts[i]); // an added token, or what a step drops
    at = unitEnds[i];
    const { hasUnits, model } = info.routes[unitRoutes[i]];
    add(unitStarts[i], at, hasUnits ? info.models[model] : undefined);
  }
  add(at, to);
  return units;
}

/**
 * Describe a text: where tokens may begin without cutting anything, and the tokens of each row.
 * @param {string} text
 * @param {readonly Side[]} sides by row
 * @param {readonly (Unit[] | undefined)[]} units by row
 * @returns {Promise<Block>}
 */
async function blockOf(text, sides, units) {
  const rows = await Promise.all(sides.map((side, row) => side && describeTokens(side, units[row] ?? [])));
  return { text, ...placesIn(units, text), rows };
}

/**
 * Describe the tokens of a text: their kind, and the bytes of those that cut a character.
 * @param {NonNullable<Side>} side
 * @param {Unit[]} units of the text, by this tokenizer
 * @returns {Promise<Token[]>}
 */
function describeTokens({ tokenizer, encoded: { ids, starts, ends } }, units) {
  let place = 0;
  return Promise.all(
    Array.from(ids, async (id, i) => {
      const [start, end] = [starts[i], ends[i]];
      while (place + 1 < units.length && units[place].end <= start) place++;
      const cutsCharacter = (i > 0 && ends[i - 1] > start) || (i + 1 < ids.length && starts[i + 1] < end);
      const model = units[place]?.model;
      const kind = !model ? "base" : isOf(model, id) ? "syllables" : "fallback";
      return { id, start, end, kind, ...(cutsCharacter && { bytes: await bytesOf(tokenizer, id) }) };
    }),
  );
}

/** @type {WeakMap<Tokenizer, Map<number, Uint8Array | Promise<Uint8Array>>>} */
const known = new WeakMap();

/**
 * Return the bytes of a token, or a promise of them; they are cached, because each key press asks for the same few.
 * @param {Tokenizer} tokenizer
 * @param {number} id
 * @returns {Uint8Array | Promise<Uint8Array>}
 */
function bytesOf(tokenizer, id) {
  const bytes = known.get(tokenizer) ?? new Map();
  known.set(tokenizer, bytes);
  if (!bytes.has(id)) bytes.set(id, tokenizer.tokenBytes(id));
  return bytes.get(id);
}

/** Finds what a reader sees as one character; older engines do not have it. */
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Find where a token may begin or end without cutting what a reader sees as one unit: a syllable if a tokenizer knows the script, otherwise
 * a grapheme cluster.
 * @param {readonly (Unit[] | undefined)[]} known by row: the first list that there is counts; without any, no syllables are known
 * @param {string} text
 * @returns {{ places: number[], syllables: number[] }} in UTF-16 units, in order: from 0 to the end; those where a syllable begins, after
 *   its space
 */
function placesIn(known, text) {
  const units = known.find(Boolean) ?? [{ start: 0, end: text.length, text }];
  const places = [];
  const syllables = [];
  for (const { start, text: unit, model } of units) {
    if (!model) {
      for (const { index } of graphemes.segment(unit)) places.push(start + index);
      continue;
    }
    if (unit.startsWith(" ") && unit.length > 1) places.push(start);
    const first = unit.startsWith(" ") && unit.length > 1 ? start + 1 : start;
    places.push(first);
    syllables.push(first);
  }
  return { places: [...places, text.length], syllables };
}

/**
 * Tell whether an id is one of a model.
 * @param {{ firstId: number, nIds: number }} model
 * @param {number} id
 * @returns {boolean}
 */
const isOf = (model, id) => id >= model.firstId && id < model.firstId + model.nIds;
