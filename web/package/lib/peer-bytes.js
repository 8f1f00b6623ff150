// Added tokens of byte-level models, decoded to the bytes that `tokenizers` makes of them: it takes the letters of a token such as "Café" for
// those that stand for bytes. py/wwho/tokenizer/peer_bytes.py does the same.

import { argumentError } from "./arguments.js";
import { assemble, sectionsOf } from "./artifact-bytes.js";
import { readDecoder, writeDecoder } from "./decoder-section.js";
import { utf8 } from "./decoding.js";
import { ADDED_HIDDEN, OF_TOKENIZER, SECTION_DECODER } from "./header.js";
import { bytesOfStandIns } from "./stand-ins.js";

/** The kind of a decoder's step that takes letters for bytes by itself (FORMAT.md, DECODER). */
const UNSPELL = 7;

/**
 * Return the file of a tokenizer whose added tokens decode to the bytes that `tokenizers` makes of them.
 * @param {import("./core.js").Core} core with the tokenizer open
 * @param {Readonly<Record<string, string>>} provenance of the tokenizer
 * @param {string} name of the tokenizer, for messages
 * @returns {Uint8Array | undefined} undefined if these are their texts anyway
 * @throws {import("./errors.js").WwhoError} ARGUMENT if the tokenizer does not record how `tokenizers` decodes
 */
export function withPeerBytes(core, { components }, name) {
  if (components === undefined) throw argumentError("likeTokenizers", true, `false: ${name} comes from no tokenizer.json, so nothing says how tokenizers decodes`);
  const texts = textsOfBytes(core);
  if (texts.length === 0 || !hasByteLevel(JSON.parse(components).decoder)) return undefined;
  const sections = sectionsOf(core.file());
  const { head, kinds, surfaces } = readDecoder(sections.find(([kind]) => kind === SECTION_DECODER)?.[1]);
  for (const [id, bytes] of texts) {
    if (kinds.includes(UNSPELL)) surfaces.delete(id);
    else surfaces.set(id, bytes);
  }
  const others = sections.filter(([kind]) => kind !== SECTION_DECODER);
  others.push([SECTION_DECODER, writeDecoder(head, surfaces)]);
  return assemble(others.sort(([a], [b]) => a - b));
}

/**
 * Return the bytes that the letters of added tokens stand for, by id, if they are not ASCII. Of a token that has another text than the form in
 * which it is found, its text counts.
 * @param {import("./core.js").Core} core
 * @returns {[id: number, bytes: Uint8Array][]}
 */
function textsOfBytes(core) {
  /** @type {Map<number, string>} */
  const texts = new Map();
  for (let i = 0; i < (core.info(OF_TOKENIZER).n_added ?? 0); i++) {
    const { id, flags, bytes } = core.addedToken(i);
    if (flags & ADDED_HIDDEN || !texts.has(id)) texts.set(id, utf8(bytes));
  }
  return [...texts].flatMap(([id, text]) => {
    const bytes = /[^\0-\x7f]/.test(text) && bytesOfStandIns(text);
    return bytes ? [/** @type {[number, Uint8Array]} */ ([id, Uint8Array.from(bytes)])] : [];
  });
}

/** Tell whether a decoder of a tokenizer.json, or a part of it, is ByteLevel. @param {any} decoder @returns {boolean} */
const hasByteLevel = (decoder) => decoder?.type === "ByteLevel" || (decoder?.decoders ?? []).some(hasByteLevel);
