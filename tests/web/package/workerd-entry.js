// A Worker of workerd: what it checks is its answer.

import { Tokenizer, getEncoding, init } from "wwho";
import o200k from "wwho/encodings/o200k_base.wwho";

import { NAMES, check } from "./check.js";
import vectors from "./vectors.json";

export default {
  async fetch() {
    try {
      await init();
      const checked = await check(
        (name) => (name === "o200k_base" ? Tokenizer.load(o200k) : getEncoding(name)),
        async (name) => vectors[name],
        NAMES,
      );
      const refused = await getEncoding("nonsense").catch(({ status }) => status);
      const compiled = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).catch(() => "refused");
      return Response.json({ checked, refused, compiled: String(compiled) });
    } catch (error) {
      return Response.json({ error: `${error.name}: ${error.message}` });
    }
  },
};
