// A .wwho file of one's own: no encoding of the package goes along.

import { Tokenizer } from "wwho/tokenizer";

import { show } from "./show.js";

show({ methods: [typeof Tokenizer.load, typeof Tokenizer.loadSync] });
