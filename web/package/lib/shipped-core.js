// The core. In the repository this names its file; in the package, tools/build_npm.py replaces this file by one that contains the core.

/** Return the address of wwho.wasm. */
export const coreSource = () => new URL("../wwho.wasm", import.meta.url);
