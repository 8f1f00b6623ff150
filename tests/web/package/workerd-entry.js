// A Worker of workerd: what it checks is its answer.

import { Tokenizer, getEncoding, init } from "wwho";
import cl100k from "wwho/encodings/cl100k_base.wwho";
import o200k from "wwho/encodings/o200k_base.wwho";
import wwho from "wwho/encodings/wwho_328k.wwho";
import superwords from "wwho/encodings/wwho_super_328k.wwho";

import { NAMES, check } from "./check.js";
import vectors from "./vectors.json";

const models = { o200k_base: o200k, cl100k_base: cl100k, wwho_328k: wwho, wwho_super_328k: superwords };

export default {
  async fetch() {
    try {
      await init();
      const checked = await check(
        (name) => Tokenizer.load(models[name]),
        async (name) => vectors[name],
        NAMES,
      );
      const refused = await getEncoding("o200k_base").catch(({ status, message }) => [status, message]);
      const compiled = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).catch(() => "refused");
      return Response.json({ checked, refused, compiled: String(compiled) });
    } catch (error) {
      return Response.json({ error: `${error.name}: ${error.message}` });
    }
  },
};
