// The core for Node, Deno and Bun. In the repository this reads its file; tools/build_npm.py replaces it in the package.

import { readFileSync } from "node:fs";

/**
 * Return the bytes of wwho.wasm, read from its file.
 * @returns {Uint8Array}
 */
export const coreSource = () => readFileSync(new URL("../wwho.wasm", import.meta.url));
