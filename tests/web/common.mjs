// What several of the tests need.

import { readFile } from "node:fs/promises";

export const ROOT = new URL("../../", import.meta.url);
export const WASM = new URL("web/package/wwho.wasm", ROOT);
export const O200K = new URL("py/wwho/models/o200k_base.wwho", ROOT);
export const WWHO = new URL("py/wwho/models/wwho_328k.wwho", ROOT);

/** Own sentences, and what breaks tokenizers. */
export const TEXTS = [
  "",
  " ",
  "The kettle sings; nobody's home, and it'LL boil over at 10:45.",
  "ඔයා 1 special अद्भुत",
  "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. ශ‍්‍රී, ක්‍ෂ, ර්‍ය!",
  "बगीचे में हवा चल रही थी, और ऋतु बदल गई। ॐ नमः ऽ क्ष्म्य्व",
  "ඇpple 한국어 日本語のテキスト 👩‍👩‍👧 🇱🇰 \r\n\r\n\t x\u0085\u00a0\u3000y",
  "\ufeffBOM \0NUL\0 \u200d\u200c a\u017f'\u017f 'S \u{10ffff}\ue000",
  "<|endoftext|> is only text, <|endofprompt|> too, [UNK] as well",
  "for (let i = 0; i < n; i++) {\n    total += row[i] * 2; // sum\n}\n",
];

/** @param {URL} url @returns {Promise<Uint8Array>} a copy that a test may change */
export async function bytesOf(url) {
  return new Uint8Array(await readFile(url));
}

/** Numbers in [0, 1), the same in every run (mulberry32). @param {number} seed */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
