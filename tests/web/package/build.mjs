// Bundles with esbuild: node build.mjs (files|workerd) PROGRAM; gives built/KIND-entry.js

import { build } from "esbuild";

const [kind, program] = process.argv.slice(2);
const entryPoints = { [`${kind}-entry`]: program };
const common = { entryPoints, bundle: true, format: "esm", outdir: "built", logLevel: "warning" };
/** What Wrangler does: modules of other kinds stay imports, by the name of the file. */
const modules = {
  name: "modules",
  setup({ onResolve }) {
    onResolve({ filter: /\.(wasm|wwho)$/ }, ({ path }) => ({ path: path.split("/").at(-1), external: true }));
  },
};

const KINDS = {
  files: { platform: "browser", loader: { ".wwho": "file", ".wasm": "file" } },
  workerd: { conditions: ["workerd", "worker", "browser"], plugins: [modules] },
};
await build({ ...common, ...KINDS[kind] });
