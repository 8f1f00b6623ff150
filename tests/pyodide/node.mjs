// session.mjs in Node; the job is the one argument, as JSON. Prints the report as its last line.

import { run } from "./session.mjs";

const { entry, ...job } = JSON.parse(process.argv[2]);
const { loadPyodide } = await import(entry);
try {
  console.log(await run({ loadPyodide, ...job }));
} catch (error) {
  // Not thrown: Node would show the line of Pyodide's code that it came from, and that is megabytes.
  console.error(error.message);
  process.exitCode = 1;
}
