// The Python cell: sends code to the Worker, and shows what it prints.

const START = `import wwho

enc = wwho.get_encoding("wwho_328k")
text = "ඔයා 1 special अद्भुत"
for token in enc.encode(text):
    print(token, repr(enc.decode([token])))
enc.count(text), wwho.get_encoding("o200k_base").count(text)
`;
/** How many times errors among the output of a cell are coloured: more would freeze the page. */
const MOST_PARTS = 5_000;

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);
const [code, output, state, runButton, stopButton] = ["code", "output", "state", "run", "stop"].map(find);
// Relative to the page, not to this file: they lie next to the page, whatever the path of its scripts.
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

/** Start a fresh Python in a Worker, and show what it says. */
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
 * Show what is printed when the page is next drawn, because much more may come until then.
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

/** Show what is waiting to be shown, now. */
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

/**
 * Show what is being done; nothing can be run meanwhile.
 * @param {string} doing
 */
function busy(doing) {
  state.textContent = doing;
  runButton.disabled = true;
}

/**
 * Show what is waiting and a state in which the next cell can be run, and nothing can be stopped.
 * @param {string} done
 */
function idle(done) {
  draw();
  state.textContent = done;
  runButton.disabled = false;
  stopButton.disabled = true;
}

/** Say how to install Pyodide, which is missing. */
function offer() {
  find("get").hidden = false;
  busy("Python is not here yet");
}

/**
 * Show why Python is not running; nothing can be run then.
 * @param {string} message
 */
function failed(message) {
  const alert = find("alert");
  alert.textContent = message;
  alert.hidden = false;
  busy("Python is not running");
}

/** Run the cell, unless another runs; its output replaces that of the one before. */
function run() {
  if (runButton.disabled) return;
  draw();
  output.replaceChildren();
  parts = 0;
  busy("Running …");
  stopButton.disabled = false;
  worker.postMessage({ code: code.value });
}

/**
 * End Python, say why among the output, and start it anew.
 * @param {string} why
 */
function restart(why) {
  // A busy Worker ends some time later; until then, it may still send messages and throw errors.
  worker.onmessage = null;
  worker.onerror = (event) => event.preventDefault();
  worker.terminate();
  write(`${why} Python restarts; all names are lost.\n`, true);
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

// A server without Pyodide may answer with an HTML page, so check the type. Use GET, because the service worker caches nothing else.
void fetch(places.pyodide).then(
  (found) => (found.ok && /javascript/.test(found.headers.get("Content-Type") ?? "") ? start() : offer()),
  () => failed("Cannot fetch Pyodide. Check your network connection. Once Python has started here, it works offline."),
);
