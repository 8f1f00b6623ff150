// The Python cell: code to the worker, what it prints to the page.

const START = `import wwho

enc = wwho.get_encoding("wwho_328k")
text = "ඔයා 1 special अद्भुत"
for token in enc.encode(text):
    print(token, repr(enc.decode([token])))
enc.count(text), wwho.get_encoding("o200k_base").count(text)
`;
/** So often in a cell, errors among output are coloured: the page would stand still over more of them. */
const MOST_PARTS = 5_000;

/** @param {string} id @returns {any} */
const find = (id) => document.getElementById(id);
const [code, output, state, runButton, stopButton] = ["code", "output", "state", "run", "stop"].map(find);
// From the page, not from this file: they lie beside the page, whatever the path of its scripts.
const places = {
  pyodide: new URL("pyodide/pyodide.mjs", document.baseURI).href,
  archive: new URL("python/wwho.zip", document.baseURI).href,
};
/** @type {Worker} */
let worker;
/** @type {{ text: string, error: boolean }[]} */
let waiting = [];
let parts = 0;
/** @type {number | undefined} */
let frame;

/** Start a fresh Python. */
function start() {
  busy("Starting Python …");
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.printed !== undefined) write(data.printed, data.error);
    else if (data.ready) idle(`Python ${data.ready}`);
    else if (data.failed) failed(data.failed);
    else if (data.ended) restart(`${data.ended}.`);
    else if (data.done) idle("Done");
  };
  worker.onerror = (event) => failed(event.message || "The worker could not be started.");
  worker.postMessage(places);
}

/**
 * Show what is printed, when the page is next drawn: much may come until then.
 *
 * @param {string} text
 * @param {boolean} error
 */
function write(text, error) {
  const last = waiting.at(-1);
  if (last && (last.error === error || parts >= MOST_PARTS)) last.text += text;
  else {
    waiting.push({ text, error });
    parts++;
  }
  frame ??= requestAnimationFrame(draw);
}

function draw() {
  if (frame !== undefined) cancelAnimationFrame(frame);
  frame = undefined;
  output.append(
    ...waiting.map(({ text, error }) => {
      const part = document.createElement("span");
      part.textContent = text;
      if (error) part.className = "error";
      return part;
    }),
  );
  waiting = [];
}

/** @param {string} doing */
function busy(doing) {
  state.textContent = doing;
  runButton.disabled = true;
}

/** @param {string} done */
function idle(done) {
  draw();
  state.textContent = done;
  runButton.disabled = false;
  stopButton.disabled = true;
}

/** Say how to get Pyodide, which is not there. */
function offer() {
  find("get").hidden = false;
  busy("Python is not here yet");
}

/** @param {string} message */
function failed(message) {
  const alert = find("alert");
  alert.textContent = message;
  alert.hidden = false;
  busy("Python is not running");
}

function run() {
  if (runButton.disabled) return;
  draw();
  output.replaceChildren();
  parts = 0;
  busy("Running …");
  stopButton.disabled = false;
  worker.postMessage({ code: code.value });
}

/** @param {string} why */
function restart(why) {
  worker.onmessage = null; // what it has sent before may still be on its way
  worker.terminate();
  write(`${why} Python starts again; names are gone.\n`, true);
  stopButton.disabled = true;
  start();
}

code.value = START;
runButton.addEventListener("click", run);
stopButton.addEventListener("click", () => restart("Stopped."));
code.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});

// A server without Pyodide may answer with a page of its own: the type tells. GET, since the service worker keeps nothing else.
void fetch(places.pyodide).then(
  (found) => (found.ok && /javascript/.test(found.headers.get("Content-Type") ?? "") ? start() : offer()),
  () => failed("Pyodide cannot be fetched; is the network there? Once Python has started here, it needs none."),
);
