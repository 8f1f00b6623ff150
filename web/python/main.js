// The Python cell: code to the worker, what it prints to the page.

const START = `import wwho

enc = wwho.get_encoding("wwho_328k")
text = "ඔයා 1 special अद्भुत"
for token in enc.encode(text):
    print(token, repr(enc.decode([token])))
enc.count(text), wwho.get_encoding("o200k_base").count(text)
`;
const MISSING = `This page needs Pyodide, which is not part of WWHO. Get it from npm and say where it is:

npm install pyodide@314.0.7
wwho serve --pyodide node_modules/pyodide`;

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

/** Start a fresh Python. */
function start() {
  busy("Starting Python …");
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.text !== undefined) write(data.text, data.error);
    else if (data.ready) idle(`Python ${data.ready}`);
    else if (data.failed) failed(data.failed);
    else if (data.done) idle("Done");
  };
  worker.onerror = (event) => failed(event.message || "The worker could not be started.");
  worker.postMessage(places);
}

/** @param {string} text @param {boolean} error */
function write(text, error) {
  const line = document.createElement("span");
  line.textContent = text;
  if (error) line.className = "error";
  output.append(line);
}

/** @param {string} doing */
function busy(doing) {
  state.textContent = doing;
  runButton.disabled = true;
}

/** @param {string} done */
function idle(done) {
  state.textContent = done;
  runButton.disabled = false;
  stopButton.disabled = true;
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
  output.replaceChildren();
  busy("Running …");
  stopButton.disabled = false;
  worker.postMessage({ code: code.value });
}

function stop() {
  worker.terminate();
  write("Stopped. Python starts again; names are gone.\n", true);
  stopButton.disabled = true;
  start();
}

code.value = START;
runButton.addEventListener("click", run);
stopButton.addEventListener("click", stop);
code.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});

// A server without Pyodide may answer with a page of its own: the type tells.
void fetch(places.pyodide, { method: "HEAD" }).then(
  (found) => (found.ok && /javascript/.test(found.headers.get("Content-Type") ?? "") ? start() : failed(MISSING)),
  () => failed(MISSING),
);
