/** What runtimes make of an import of wwho.wasm that compile it ahead of time (workerd, Vercel's edge with ?module). */
declare const module: WebAssembly.Module;
export default module;
