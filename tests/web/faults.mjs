// Says of files why wwho/import refuses them in JavaScript. argv: a file of JSON, a list of paths. Prints a line for each: the reason as JSON,
// "" if Python is to tell.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { ROOT } from "./common.mjs";

const { faultOf } = await import(new URL("web/package/lib/import-faults.js", ROOT).href);

for (const path of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  console.log(JSON.stringify(await faultOf(basename(path), new Uint8Array(readFileSync(path)))));
}
