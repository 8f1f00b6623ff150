// Python in a Worker: the first message says where Pyodide and wwho are, and each later one has code.
//
// While Python runs, this Worker receives no messages and no timers fire. So it sends all output at once, and because nobody can ask
// it to print less, it sends no more than LIMIT characters of each cell, and its traceback.

const LIMIT = 200_000; // UTF-16 units
const CELL = `
import sys
import traceback

from pyodide.code import eval_code_async


async def run(code, names):
    """Run a cell and print its value; give its traceback, without the frames that are not its own."""
    try:
        value = await eval_code_async(code, globals=names, filename="<cell>")
        if value is not None:
            print(repr(value))
    except BaseException as error:
        frames = error.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != "<cell>":
            frames = frames.tb_next
        return "".join(traceback.format_exception(error.with_traceback(frames)))
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
/** Decoders for output and for errors: a character may come in two parts. */
const decoders = new Map([false, true].map((error) => [error, new TextDecoder()]));
/** How many characters may still be printed; below 0, the cell was told that there is more. */
let room = LIMIT;

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

/**
 * Start Python with wwho imported, and tell the page its version, or why it failed.
 * @param {{ pyodide: string, archive: string }} places addresses of Pyodide and of wwho
 */
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
    python.setStdout(writer(false));
    python.setStderr(writer(true));
    self.postMessage({ ready: python.runPython("sys.version.split()[0]") });
  } catch (error) {
    self.postMessage({ failed: `Python could not be started. ${message(error)}` });
  }
}

/**
 * Run a cell, send what is left of its output and its traceback, and tell the page that it is done, or that Python has ended.
 * @param {string} code
 */
async function run(code) {
  room = LIMIT;
  let traceback;
  try {
    traceback = await runCell(code, names);
  } catch (error) {
    end(error); // the cell's own errors are printed: this one is Python's end
    return;
  }
  for (const [error, decoder] of decoders) print(decoder.decode(), error);
  if (traceback) send(traceback.slice(0, LIMIT), true);
  self.postMessage({ done: true });
}

/**
 * Tell the page that Python has ended.
 * @param {unknown} error says why
 */
function end(error) {
  self.postMessage({ ended: message(error) });
}

/**
 * Make what Pyodide writes output to: it prints bytes of UTF-8, and keeps a character that is not complete for the next call.
 * @param {boolean} error whether it is for errors
 * @returns {{ write: (bytes: Uint8Array) => number }} `write` returns how many bytes it took: all
 */
function writer(error) {
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      print(decoders.get(error)?.decode(bytes, { stream: true }) ?? "", error);
      return bytes.length;
    },
  };
}

/**
 * Send a text to the page, as far as the cell has room for it; where it ends, say so once, and send no more.
 * @param {string} text
 * @param {boolean} error whether it is of errors
 */
function print(text, error) {
  if (room < 0) return;
  const shown = text.length > room ? text.slice(0, room).replace(/[\ud800-\udbff]$/, "") : text;
  room -= text.length;
  send(shown, error);
  if (room < 0) send(`\n… Only the first ${LIMIT.toLocaleString("en")} characters are shown.\n`, true);
}

/**
 * Send a text to the page to be shown; nothing if it is empty.
 * @param {string} printed
 * @param {boolean} error whether it is of errors
 */
function send(printed, error) {
  if (printed !== "") self.postMessage({ printed, error });
}

/**
 * Return the bytes at an address.
 * @param {string} url
 * @returns {Promise<ArrayBuffer>}
 * @throws {Error} it cannot be fetched
 */
async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/**
 * Return what an error says; a value that is no error as a text.
 * @param {unknown} error
 * @returns {string}
 */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}
