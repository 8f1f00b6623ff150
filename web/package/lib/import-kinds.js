// How files begin, for wwho/import; bytes are characters here. Written by tools/gen_import_kinds.py.

/** How many bytes of a file are looked at. */
export const HEAD = 4096;

/** Names of files for which their folder must say how text is cut. */
export const SAY_LITTLE = ["vocab.json", "vocab.txt"];

/** The kinds of file that `wwho import` reads. */
export const KNOWN = ["a tokenizer of SCRIPT (sebpe-v1)", "a list of tokens", "a tokenizer.json of Hugging Face", "a vocab.txt of BERT", "a vocab.json with merges.txt", "a vocab.json of the WWHO paper", "a tekken.json", "a JSON of tiktoken for JavaScript", "a tiktoken rank file", "the merges of CLIP", "a vocabulary of RWKV", "a GGUF file", "a tokenizer.bin of llama2.c", "a SentencePiece model"];

/** How JSON begins. */
export const JSON_BEGINS = /^(?:(?:\xef\xbb\xbf)?[\t-\r ]*\{(?![{%#]))/s;

/** How the other files begin, or may begin, that `wwho import` reads. */
export const BEGINS = [
  /^(?:\x1f\x8b|[\t-\r ]*\{(?![{%#]))/s,
  /^(?:(?:\xef\xbb\xbf)?[0-9]{1,9}\t)/s,
  /^(?:.*?\[(?:UNK|PAD)\])/s,
  /^(?:[\t-\r ]*[A-Za-z0-9+/]+=* [0-9]+(?:[\t-\r ]|$))/s,
  /^(?:\x1f\x8b)/s,
  /^(?:[0-9]{1,7} b?['"])/s,
  /^(?:GGUF)/s,
  /^(?:.[\x00-\x04]\x00\x00.{4}.[\x00-\x04]\x00\x00)/s,
  /^(?:\n[\x03-\xff])/s,
];

/** Texts, one of which stands in every JSON that `wwho import` reads, unless it escapes letters. */
export const MARKS = ["\"merge_rules\"", "\"pat_str\"", "\"script_mode\"", "\"vocab\"", "\"Ġ", "sebpe-v1"];

/**
 * Other files, and the words for them; a mark of byte order before them does not count.
 * @type {[RegExp, string][]}
 */
export const FOREIGN = [
  [/^(?:GGUF)/s, "a GGUF language model; make an artifact of its tokenizer with: wwho import FILE"],
  [/^(?:\n.\n.{2,120}?\x15)/s, "a SentencePiece model; make an artifact of it with: wwho import FILE"],
  [/^(?:[A-Za-z0-9+/]+=* [0-9]+\r?\n)/s, "a tiktoken rank file; make an artifact of it with: wwho import FILE --pattern PATTERN"],
  [/^(?:[\t-\r ]*\{.*"(?:added_tokens|truncation|pre_tokenizer)"[\t-\r ]*:)/s, "a tokenizer.json of Hugging Face; make an artifact of it with: wwho import FILE"],
  [/^(?:[\t-\r ]*\{.*"script_mode"[\t-\r ]*:)/s, "a vocab.json of the WWHO paper; make an artifact of it with: wwho import FILE"],
  [/^(?:[\t-\r ]*\{.*"(?:added_tokens_decoder|tokenizer_class|model_max_length|chat_template|(?:add_)?(?:cls|bos|eos|unk)_token)"[\t-\r ]*:)/s, "the settings of a tokenizer; take the tokenizer.json beside it"],
  [/^(?:[\t-\r ]*\{.*"(?:grammar|blocks)"[\t-\r ]*:)/s, "a schema; give it to --schema"],
  [/^(?:version https:\/\/git-lfs)/s, "a Git LFS pointer; fetch the file itself with: git lfs pull"],
  [/^(?:[\t-\r ]*(?:<!--.*?-->[\t-\r ]*)?<(?:!doctype|html|\?xml))/is, "a web page; check that the address leads to the file itself"],
];

/** Other files, and the words for them. @type {[RegExp, string][]} */
export const OTHERS = [
  [/^(?:[\t-\r ]*$)/s, "it is empty; fetch it again"],
  [/^(?:\x89WWHO)/s, "it is a .wwho artifact already; commands open it with --model FILE"],
  [/^(?:#version: )/s, "the merges of a BPE; take the vocab.json beside it"],
  [/^(?:[\t-\r ]*\{.*"(?:architectures|model_type|hidden_size|transformers_version|\w+_token_id)"[\t-\r ]*:)/s, "the settings of a model; take the tokenizer.json beside it"],
  [/^(?:[\t-\r ]*\{[\t-\r ]*"(?:[^"\\]|\\.)*"[\t-\r ]*:[\t-\r ]*[0-9]+[\t-\r ]*[,}])/s, "a list of tokens and their ids, which is no whole tokenizer; take the tokenizer.json beside it"],
  [/^(?:[\t-\r ]*\{[{%#])/s, "a chat template; take the tokenizer.json beside it"],
  [/^(?:\xff\xfe|\xfe\xff)/s, "text in UTF-16; save it in UTF-8"],
  [/^(?:\x1f\x8b|\x28\xb5\x2f\xfd|\xfd7zXZ)/s, "compressed by gzip, zstd or xz; unpack it first"],
  [/^(?:.{8}\{")/s, "weights as safetensors; take the tokenizer.json beside it"],
  [/^(?:PK\x03\x04|\x80[\x02-\x05])/s, "a zip archive or a pickle, which is never opened; take the tokenizer.json beside it"],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|%PDF)/s, "a picture or a PDF; take the tokenizer.json of the model"],
];
