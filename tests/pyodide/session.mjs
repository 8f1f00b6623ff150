// One Pyodide, in Node or in a page, whose micropip knows the test's package index alone.

/**
 * Run Python in a fresh Pyodide; the modules of checks.zip are there.
 *
 * @param {object} job
 * @param {(options: object) => Promise<any>} job.loadPyodide of the version under test
 * @param {string} job.server address of the test's server
 * @param {string[]} job.ready URLs of wheels that are there before: micropip and what it needs
 * @param {string} job.index which index of the server has wwho
 * @param {string} job.code Python
 * @returns {Promise<any>} the value of its last line
 */
export async function run({ loadPyodide, server, ready, index, code }) {
  const python = await loadPyodide();
  await python.loadPackage(ready);
  const checks = await fetch(`${server}/checks.zip`);
  python.unpackArchive(await checks.arrayBuffer(), "zip", { extractDir: "/checks" });
  python.globals.set("INDEX", `${server}/${index}`);
  python.runPython("import sys; sys.path.insert(0, '/checks/py'); import micropip; micropip.set_index_urls(INDEX)");
  return python.runPythonAsync(code);
}
