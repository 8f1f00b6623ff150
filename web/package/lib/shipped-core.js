// The core: in the repository, its file; in the package tools/build_npm.py writes this anew, with the core inside.

export const coreSource = () => new URL("../wwho.wasm", import.meta.url);
