// The functions of other packages, over the encoding that they are asked for.

import { decode, encode } from "wwho/compat/gpt-tokenizer/encoding/cl100k_base";
import { Tiktoken } from "wwho/compat/js-tiktoken/lite";
import ranks from "wwho/compat/js-tiktoken/ranks/cl100k_base";

import { show } from "./show.js";

const ids = encode("hello world");
const more = new Tiktoken(ranks, { "<|x|>": 200_000 });
show({ ids, text: decode(ids), theirs: more.encode("<|x|>hello", "all") });
