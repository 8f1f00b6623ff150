// Python in a Worker: the first message says where Pyodide and wwho are, each later one has code.
//
// While Python runs, this Worker hears nothing: no timer fires, so all that is printed is sent at once; and no one can ask
// it to print less, so it sends no more than LIMIT of each stream of a cell.

const LIMIT = 200_000; // UTF-16 units
const CELL = `
import sys
import traceback

from pyodide.code import eval_code_async


async def run(code, names):
    """Run a cell, print its value or its traceback; frames that are not the cell's are left out."""
    try:
        value = await eval_code_async(code, globals=names, filename="<cell>")
        if value is not None:
            print(repr(value))
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != "<cell>":
            frames = frames.tb_next
        traceback.print_exception(error.with_traceback(frames))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


run
`;

/** @type {any} */
let python;
/** @type {any} */
let runCell;
/** @type {any} */
let names;
/** What each stream may still print; below 0, its end was announced. */
const room = { output: LIMIT, errors: LIMIT };

self.onmessage = async ({ data }) => {
  if (data.code === undefined) await start(data);
  else await run(data.code);
};

// How Pyodide tells that Python has ended, as by os._exit; nothing else of it is answered then.
self.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.name !== "Exit") return;
  event.preventDefault();
  end(event.reason);
});

/** @param {{ pyodide: string, archive: string }} places */
async function start(places) {
  try {
    const { loadPyodide } = await import(places.pyodide);
    const [started, archive] = await Promise.all([loadPyodide(), fetched(places.archive)]);
    python = started;
    python.unpackArchive(archive, "zip", { extractDir: "/wwho" });
    python.runPython("import sys; sys.path.insert(0, '/wwho')");
    names = python.toPy({ __name__: "__main__" });
    python.runPython("import wwho", { globals: names });
    runCell = python.runPython(CELL, { globals: python.toPy({}) });
    python.setStdout(writer("output"));
    python.setStderr(writer("errors"));
    self.postMessage({ ready: python.runPython("sys.version.split()[0]") });
  } catch (error) {
    self.postMessage({ failed: `Python could not be started. ${message(error)}` });
  }
}

/** @param {string} code */
async function run(code) {
  room.output = room.errors = LIMIT;
  try {
    await runCell(code, names);
  } catch (error) {
    end(error); // the cell's own errors are printed: this one is Python's end
    return;
  }
  self.postMessage({ done: true });
}

/** @param {unknown} error */
function end(error) {
  self.postMessage({ ended: message(error) });
}

/** @param {"output" | "errors"} stream */
function writer(stream) {
  const decoder = new TextDecoder();
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      print(decoder.decode(bytes, { stream: true }), stream);
      return bytes.length;
    },
  };
}

/** @param {string} text @param {"output" | "errors"} stream */
function print(text, stream) {
  const left = room[stream];
  if (left < 0 || text === "") return;
  room[stream] -= text.length;
  const shown = text.length > left ? text.slice(0, left).replace(/[\ud800-\udbff]$/, "") : text;
  self.postMessage({ printed: shown, error: stream === "errors" });
  if (room[stream] >= 0) return;
  self.postMessage({ printed: `\n… Only the first ${LIMIT.toLocaleString("en")} characters are shown.\n`, error: true });
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
