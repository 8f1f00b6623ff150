// What a call draws at random, and from which seed: FORMAT.md, Sampling.

import { argumentError, requireKnown } from "./arguments.js";
import { WwhoError } from "./errors.js";

/** @typedef {{ alpha: number, nBest: number }} Sample */
/** @typedef {{ dropout?: number, sample?: Sample, seed?: number | bigint }} SamplingOptions */
/** @typedef {{ seed: bigint, dropout: number, alpha: number, paths: boolean, text: number }} Sampling what is drawn for text number `text` */

/** The names of the options. */
export const SAMPLING_OPTIONS = ["dropout", "sample", "seed"];

const SAMPLE_OPTIONS = new Set(["alpha", "nBest"]);

/** A dropout below this is none. */
const LEAST_DROPOUT = 2 ** -32;
/** @type {Record<string, string>} */
const KINDS = { bpe: "BPE", greedy: "longest match (WordPiece)", viterbi: "Unigram" };

/**
 * Check the options of a call that draws tokens, and return what they mean to the core.
 * @param {SamplingOptions} options others than these are not looked at
 * @param {string} name of the tokenizer
 * @param {{ models: readonly { kind: string }[] }} info of the tokenizer; each option acts on the models that can do it
 * @returns {Sampling | undefined} undefined: nothing is drawn
 * @throws {WwhoError} ARGUMENT if a number is out of range or the seed is missing; SAMPLING if no model can do it
 */
export function readSampling({ dropout = 0, sample, seed }, name, info) {
  if (typeof dropout !== "number" || !(dropout >= 0 && dropout <= 1)) throw argumentError("dropout", dropout, "a probability from 0 to 1");
  if (sample !== undefined) requireKnown(sample, SAMPLE_OPTIONS, "sample");
  const { alpha = 0, nBest = 0 } = sample ?? {};
  if (sample !== undefined) {
    if (typeof sample.alpha !== "number" || !(alpha >= 0 && alpha < Infinity)) throw argumentError("sample.alpha", sample.alpha, "a number of at least 0");
    if (![-1, 0, 1].includes(sample.nBest)) throw argumentError("sample.nBest", sample.nBest, "-1, which draws from all paths (or 0 or 1, which take the best one)");
  }
  const isSeed = typeof seed === "bigint" ? seed >= 0n && seed < 2n ** 64n : Number.isSafeInteger(seed) && Number(seed) >= 0;
  const [drops, paths] = [dropout >= LEAST_DROPOUT, nBest < 0];
  if ((seed !== undefined || drops || paths) && !isSeed) throw argumentError("seed", seed, "an integer from 0 to 2**53 - 1, or a BigInt to 2n**64n - 1n");
  if (!drops && !paths) return undefined;
  const kinds = new Set(info.models.map(({ kind }) => kind));
  const has = `${name} has a model of the kind ${Object.keys(KINDS).filter((kind) => kinds.has(kind)).map((kind) => KINDS[kind]).join(" and ")}, which`;
  if (drops && !kinds.has("bpe")) throw new WwhoError("SAMPLING", `${has} cannot drop merges: leave dropout out${kinds.has("viterbi") && !paths ? ", and give sample" : ""}`);
  if (paths && !kinds.has("viterbi")) throw new WwhoError("SAMPLING", `${has} has no paths to draw: leave sample out${kinds.has("bpe") && !drops ? ", and give dropout" : ""}`);
  return { seed: BigInt(/** @type {number | bigint} */ (seed)), dropout: drops ? dropout : 0, alpha, paths, text: 0 };
}

/**
 * Return the checked options of a call for the text with this number, whose stream is its own.
 * @template {{ sampling?: Sampling }} T
 * @param {T} given
 * @param {number} text
 * @returns {T} the same object if nothing is drawn
 */
export function forText(given, text) {
  return given.sampling ? { ...given, sampling: { ...given.sampling, text } } : given;
}
