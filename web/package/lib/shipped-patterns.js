// What wwho/import knows of pretokenizers and normalizers. Written by tools/gen_import_patterns.py.

/** What `wwho import` calls a tokenizer.json. */
export const KIND = "a tokenizer.json of Hugging Face";

/** What `wwho import` records beside the file's own facts. */
export const RECORD = {"engine": "tokenizers 0.23.3", "unicode": "16.0.0", "writer": "wwho 0.1.0"};

/** @type {Readonly<Record<string, () => URL>>} The compiled files. */
export const FILES = {
  "whole": () => new URL("../patterns/whole.wwho", import.meta.url),
  "whole-marked": () => new URL("../patterns/whole-marked.wwho", import.meta.url),
  "gpt2": () => new URL("../patterns/gpt2.wwho", import.meta.url),
  "gpt2-marked": () => new URL("../patterns/gpt2-marked.wwho", import.meta.url),
  "gpt2_prefix": () => new URL("../patterns/gpt2_prefix.wwho", import.meta.url),
  "gpt2_prefix-marked": () => new URL("../patterns/gpt2_prefix-marked.wwho", import.meta.url),
  "digit_gpt2": () => new URL("../patterns/digit_gpt2.wwho", import.meta.url),
  "digit_gpt2-marked": () => new URL("../patterns/digit_gpt2-marked.wwho", import.meta.url),
  "digits_gpt2": () => new URL("../patterns/digits_gpt2.wwho", import.meta.url),
  "digits_gpt2-marked": () => new URL("../patterns/digits_gpt2-marked.wwho", import.meta.url),
  "deepseek_coder": () => new URL("../patterns/deepseek_coder.wwho", import.meta.url),
  "deepseek_coder-marked": () => new URL("../patterns/deepseek_coder-marked.wwho", import.meta.url),
  "llama3": () => new URL("../patterns/llama3.wwho", import.meta.url),
  "llama3-marked": () => new URL("../patterns/llama3-marked.wwho", import.meta.url),
  "qwen2": () => new URL("../patterns/qwen2.wwho", import.meta.url),
  "qwen2-marked": () => new URL("../patterns/qwen2-marked.wwho", import.meta.url),
  "qwen3_5": () => new URL("../patterns/qwen3_5.wwho", import.meta.url),
  "qwen3_5-marked": () => new URL("../patterns/qwen3_5-marked.wwho", import.meta.url),
  "o200k": () => new URL("../patterns/o200k.wwho", import.meta.url),
  "o200k-marked": () => new URL("../patterns/o200k-marked.wwho", import.meta.url),
  "tekken": () => new URL("../patterns/tekken.wwho", import.meta.url),
  "tekken-marked": () => new URL("../patterns/tekken-marked.wwho", import.meta.url),
  "bailing": () => new URL("../patterns/bailing.wwho", import.meta.url),
  "bailing-marked": () => new URL("../patterns/bailing-marked.wwho", import.meta.url),
  "seed_coder": () => new URL("../patterns/seed_coder.wwho", import.meta.url),
  "seed_coder-marked": () => new URL("../patterns/seed_coder-marked.wwho", import.meta.url),
  "jais2": () => new URL("../patterns/jais2.wwho", import.meta.url),
  "jais2-marked": () => new URL("../patterns/jais2-marked.wwho", import.meta.url),
  "deepseek_v3": () => new URL("../patterns/deepseek_v3.wwho", import.meta.url),
  "deepseek_v3-marked": () => new URL("../patterns/deepseek_v3-marked.wwho", import.meta.url),
  "tiny_aya": () => new URL("../patterns/tiny_aya.wwho", import.meta.url),
  "tiny_aya-marked": () => new URL("../patterns/tiny_aya-marked.wwho", import.meta.url),
  "bloom": () => new URL("../patterns/bloom.wwho", import.meta.url),
  "bloom-marked": () => new URL("../patterns/bloom-marked.wwho", import.meta.url),
  "cl100k": () => new URL("../patterns/cl100k.wwho", import.meta.url),
  "cl100k-marked": () => new URL("../patterns/cl100k-marked.wwho", import.meta.url),
  "nfc": () => new URL("../patterns/nfc.wwho", import.meta.url),
  "nfkc": () => new URL("../patterns/nfkc.wwho", import.meta.url),
};

/**
 * For each pretokenizer the name of its file, and the losses of its cuts and of the steps after
 * the normalizer.
 * @type {Readonly<Record<string, [string, string[], string[]]>>}
 */
export const PRE_TOKENIZERS = {
  "[[\"ByteLevel\",false,false]]": ["whole", [], []],
  "[[\"ByteLevel\",false,true]]": ["gpt2", [], []],
  "[[\"Split\",\"'(?:[sdmt]|ll|ve|re)| ?\\\\p{L}++| ?\\\\p{N}++| ?[^\\\\s\\\\p{L}\\\\p{N}]++|\\\\s++\\\\z|\\\\s+(?!\\\\S)|\\\\s\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["gpt2", [], []],
  "[[\"ByteLevel\",true,true]]": ["gpt2_prefix", [], ["a space is put in front of a text"]],
  "[[\"Digits\",true],[\"ByteLevel\",false,true]]": ["digit_gpt2", [], []],
  "[[\"Digits\",false],[\"ByteLevel\",false,true]]": ["digits_gpt2", [], []],
  "[[\"Split\",\"[\\r\\n]\",\"Isolated\",false],[\"Split\",\"\\\\s?\\\\p{L}+\",\"Isolated\",false],[\"Split\",\"\\\\s?\\\\p{P}+\",\"Isolated\",false],[\"Split\",\"[一-龥ࠀ-一가-퟿]+\",\"Isolated\",false],[\"Digits\",true],[\"ByteLevel\",false,false]]": ["deepseek_coder", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["llama3", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["llama3", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["qwen2", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["qwen2", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{L}\\\\p{M}]+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{M}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["qwen3_5", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{L}\\\\p{M}]+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{M}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["qwen3_5", [], []],
  "[[\"Split\",\"[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["o200k", [], []],
  "[[\"Split\",\"[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["o200k", [], []],
  "[[\"Split\",\"[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["tekken", [], []],
  "[[\"Split\",\"[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["tekken", [], []],
  "[[\"Split\",\"'(?i:[sdmt]|ll|ve|re)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?+\\\\p{L}+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]++[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["bailing", [], []],
  "[[\"Split\",\"'(?i:[sdmt]|ll|ve|re)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?+\\\\p{L}+|\\\\p{N}| ?[^\\\\s\\\\p{L}\\\\p{N}]++[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["bailing", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1}| ?[^\\\\s\\\\p{L}\\\\p{N}\\r\\n]+|\\\\s*[\\r\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["seed_coder", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1}| ?[^\\\\s\\\\p{L}\\\\p{N}\\r\\n]+|\\\\s*[\\r\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["seed_coder", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s{512}(?!\\\\S)|\\\\s{256}(?!\\\\S)|\\\\s{128}(?!\\\\S)|\\\\s{64}(?!\\\\S)|\\\\s{32}(?!\\\\S)|\\\\s{16}(?!\\\\S)|\\\\s{8}(?!\\\\S)|\\\\s{4}(?!\\\\S)|\\\\s{1,2}(?!\\\\S)|\\\\s{1}\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["jais2", [], []],
  "[[\"Split\",\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s{512}(?!\\\\S)|\\\\s{256}(?!\\\\S)|\\\\s{128}(?!\\\\S)|\\\\s{64}(?!\\\\S)|\\\\s{32}(?!\\\\S)|\\\\s{16}(?!\\\\S)|\\\\s{8}(?!\\\\S)|\\\\s{4}(?!\\\\S)|\\\\s{1,2}(?!\\\\S)|\\\\s{1}\",\"Removed\",true],[\"ByteLevel\",false,false]]": ["jais2", [], []],
  "[[\"Split\",\"\\\\p{N}{1,3}\",\"Isolated\",false],[\"Split\",\"[一-龥぀-ゟ゠-ヿ]+\",\"Isolated\",false],[\"Split\",\"[!\\\"#$%&'()*+,\\\\-./:;<=>?@\\\\[\\\\\\\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\\\p{L}\\\\p{P}\\\\p{S}]?[\\\\p{L}\\\\p{M}]+| ?[\\\\p{P}\\\\p{S}]+[\\r\\n]*|\\\\s*[\\r\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["deepseek_v3", [], []],
  "[[\"Split\",\"\\\\d{1,3}(?=(?:\\\\d{3})*\\\\b)\",\"Isolated\",false],[\"Split\",\"[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?[\\\\p{Lu}\\\\p{Lt}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]+[\\\\p{Ll}\\\\p{Lm}\\\\p{Lo}\\\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n/]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["tiny_aya", [], []],
  "[[\"Split\",\" ?[^(\\\\s|[.,!?…。，、।۔،])]+\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["bloom", [], []],
  "[[\"Split\",\"'(?i:[sdmt]|ll|ve|re)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?+\\\\p{L}++|\\\\p{N}{1,3}| ?[^\\\\s\\\\p{L}\\\\p{N}]++[\\\\r\\\\n]*+|\\\\s++\\\\z|\\\\s*[\\\\r\\\\n]|\\\\s+(?!\\\\S)|\\\\s\",\"Isolated\",false],[\"ByteLevel\",false,false]]": ["cl100k", [], []],
};

/**
 * For each normal form the name of its file, and its losses.
 * @type {Readonly<Record<string, [string, string[]]>>}
 */
export const FORMS = {
  "NFC": ["nfc", ["characters become their canonical forms, as in NFC and NFD"]],
  "NFKC": ["nfkc", ["compatibility characters become others, as in NFKC", "characters become their canonical forms, as in NFC and NFD"]],
};
