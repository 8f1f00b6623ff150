/**
 * Bytes that a browser downloads to count with o200k_base: [raw, gzip -9, brotli -q 11] for each file of each tokenizer, as
 * JSON. Scripts are bundled and minified by esbuild, with the settings of a site that takes care; other files are as shipped.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const PARTS = {
  wwho: {
    script: `export * from ${JSON.stringify(here("../../web/package/index.js"))}`,
    files: { wasm: "../../web/package/wwho.wasm", vocabulary: "../../py/wwho/models/o200k_base.wwho" },
  },
  hypertok: {
    script: `export { fromBytes } from "hypertok"`,
    files: {
      wasm: "node_modules/hypertok/wasm/single/hypertok_wasm_core_bg.wasm",
      vocabulary: "node_modules/@hypertok/vocab-o200k/vocab.htk",
    },
  },
  "gpt-tokenizer": { script: `export { encode } from "gpt-tokenizer/encoding/o200k_base"`, files: {} },
  "js-tiktoken": {
    script: `export { Tiktoken } from "js-tiktoken/lite"; export { default as ranks } from "js-tiktoken/ranks/o200k_base"`,
    files: {},
  },
  tiktoken: {
    script: `export { init, Tiktoken } from "tiktoken/lite/init"`,
    files: { wasm: "node_modules/tiktoken/lite/tiktoken_bg.wasm", vocabulary: "node_modules/tiktoken/encoders/o200k_base.json" },
  },
};

async function bundle(script) {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: here(".") },
    ...{ bundle: true, minify: true, format: "esm", platform: "browser", charset: "utf8" },
    ...{ write: false, logLevel: "silent" },
  });
  return outputFiles[0].contents;
}

function sizes(data) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  return [data.length, gzipSync(data, { level: 9 }).length, brotliCompressSync(data, { params }).length];
}

const result = {};
for (const [name, { script, files }] of Object.entries(PARTS)) {
  try {
    result[name] = { script: sizes(await bundle(script)) };
    for (const [part, path] of Object.entries(files)) result[name][part] = sizes(readFileSync(here(path)));
  } catch (error) {
    result[name] = { error: String(error) };
  }
}
console.log(JSON.stringify(result));
