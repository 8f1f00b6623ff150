// Python in a Worker: the first message says where Pyodide and wwho are, each later one has code.

/** @type {any} */
let python;
/** @type {any} */
let names;

self.onmessage = async ({ data }) => {
  if (data.code === undefined) await start(data);
  else await run(data.code);
};

/** @param {{ pyodide: string, archive: string }} places */
async function start(places) {
  try {
    const { loadPyodide } = await import(places.pyodide);
    const [started, archive] = await Promise.all([loadPyodide(), fetched(places.archive)]);
    python = started;
    python.unpackArchive(archive, "zip", { extractDir: "/wwho" });
    python.runPython("import sys; sys.path.insert(0, '/wwho'); import wwho");
    names = python.toPy({});
    python.setStdout(writer(false));
    python.setStderr(writer(true));
    self.postMessage({ ready: python.runPython("sys.version.split()[0]") });
  } catch (error) {
    self.postMessage({ failed: `Python could not be started. ${message(error)}` });
  }
}

/** @param {string} code */
async function run(code) {
  try {
    const value = await python.runPythonAsync(code, { globals: names, filename: "<cell>" });
    flush();
    if (value !== undefined) {
      self.postMessage({ text: `${python.globals.get("repr")(value)}\n` });
      value.destroy?.();
    }
  } catch (error) {
    flush();
    self.postMessage({ text: message(error), error: true });
  }
  self.postMessage({ done: true });
}

/** Send what was printed and has no line feed yet. */
function flush() {
  python.runPython("import sys; sys.stdout.flush(); sys.stderr.flush()");
}

/** @param {boolean} error */
function writer(error) {
  const decoder = new TextDecoder();
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      self.postMessage({ text: decoder.decode(bytes, { stream: true }), error });
      return bytes.length;
    },
  };
}

/** @param {string} url */
async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}
