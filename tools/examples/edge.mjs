// WWHO in any engine of JavaScript that has WebAssembly, without the npm package: the core imports nothing, not even WASI.

/**
 * Open an artifact, and return a function that encodes texts with it.
 * @param {BufferSource} core the bytes of wwho.wasm
 * @param {Uint8Array} model the bytes of a .wwho file
 * @param {number} [longest] of the texts that are encoded, in bytes of UTF-8
 * @returns {Promise<(text: string) => number[]>} a text's ids; it throws RangeError for a longer text
 * @throws {Error} the artifact is damaged, with the status of wwho.h
 */
export async function openEncoder(core, model, longest = 4096) {
  const { instance } = await WebAssembly.instantiate(core, {});
  const exports = /** @type {Record<string, any>} */ (instance.exports);
  const memory = /** @type {WebAssembly.Memory} */ (exports.memory);
  let top = Math.ceil(exports.__heap_base.value / 16) * 16;

  /** @param {number} size */
  function take(size) { // the address of so many bytes, zero and aligned; never given back
    const start = top;
    top = Math.ceil((top + size) / 16) * 16;
    memory.grow(Math.max(0, Math.ceil((top - memory.buffer.byteLength) / 65536)));
    return start;
  }

  /** @param {string} name @param {...number} args */
  function call(name, ...args) { // each of these functions writes its result to `out`
    const status = exports[name](...args, out);
    if (status) throw new Error(`wwho_${name} returned status ${status}: see wwho.h`);
    return new Uint32Array(memory.buffer, out, 16);
  }

  const [out, artifact, data, ids] = [take(64), take(model.length), take(longest), take(4 * longest)];
  new Uint8Array(memory.buffer).set(model, artifact);
  const size = call("workspace_size", artifact, model.length)[0];
  const opened = call("open", artifact, model.length, take(size), size)[0];
  const scratch = exports.scratch_size(opened);
  const job = [take(scratch), scratch, ids, 0, 0, longest];
  new Uint32Array(memory.buffer, out, 16).fill(0).set(job);
  return (text) => {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > longest) throw new RangeError(`${bytes.length} bytes are more than ${longest}: open with more`);
    new Uint8Array(memory.buffer).set(bytes, data);
    const n = call("encode", opened, data, bytes.length, 0)[13]; // n of the wwho_job
    return [...new Uint32Array(memory.buffer, ids, n)];
  };
}
