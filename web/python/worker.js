// Python in a Worker: the first message says where Pyodide and wwho are, each later one has code.
//
// While Python runs, this Worker hears nothing, so no one can ask it to print less: it sends what is
// printed in batches, and no more than LIMIT of each cell.

const LIMIT = 200_000; // UTF-16 units
const AT_ONCE = 100; // messages of a cell
const BATCH_MS = 50; // between those that follow
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

/** @typedef {{ text: string, error: boolean }} Printed */

/** @type {any} */
let python;
/** @type {any} */
let runCell;
/** @type {any} */
let names;
/** @type {Printed[]} */
let waiting = [];
let [room, messages, sentAt] = [LIMIT, 0, 0];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

self.onmessage = async ({ data }) => {
  if (data.code === undefined) await start(data);
  else await run(data.code);
};

// How Pyodide tells that Python has ended, as by os._exit; nothing else of it is answered then.
self.addEventListener("unhandledrejection", ({ reason }) => {
  if (reason?.name === "Exit") end(reason);
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
    python.setStdout(writer(false));
    python.setStderr(writer(true));
    self.postMessage({ ready: python.runPython("sys.version.split()[0]") });
  } catch (error) {
    self.postMessage({ failed: `Python could not be started. ${message(error)}` });
  }
}

/** @param {string} code */
async function run(code) {
  [room, messages] = [LIMIT, 0];
  try {
    await runCell(code, names);
  } catch (error) {
    end(error); // the cell's own errors are printed: this one is Python's end
    return;
  }
  send();
  self.postMessage({ done: true });
}

/** @param {unknown} error */
function end(error) {
  send();
  self.postMessage({ ended: message(error) });
}

/** @param {boolean} error */
function writer(error) {
  const decoder = new TextDecoder();
  return {
    write: (/** @type {Uint8Array} */ bytes) => {
      print(decoder.decode(bytes, { stream: true }), error);
      return bytes.length;
    },
  };
}

/**
 * Send what is printed, or let it wait for more.
 *
 * @param {string} text
 * @param {boolean} error
 */
function print(text, error) {
  if (!room) return;
  add(text.slice(0, room), error);
  room -= Math.min(room, text.length);
  if (!room) add(`\n… Only the first ${LIMIT.toLocaleString("en")} characters are shown.\n`, true);
  // The last of it too: nothing comes after it that would take it along.
  if (!room || messages < AT_ONCE || performance.now() - sentAt >= BATCH_MS) send();
  else timer ??= setTimeout(send, BATCH_MS); // for Python that waits; it cannot fire while Python runs
}

/**
 * @param {string} text
 * @param {boolean} error
 */
function add(text, error) {
  const last = waiting.at(-1);
  if (last?.error === error) last.text += text;
  else waiting.push({ text, error });
}

function send() {
  clearTimeout(timer);
  timer = undefined;
  if (waiting.length) self.postMessage({ printed: waiting });
  [waiting, sentAt] = [[], performance.now()];
  messages += 1;
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
