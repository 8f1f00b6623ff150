// The module's own types (JSDoc, checkJs), and the hand-written declarations as a program in TypeScript sees them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

for (const project of ["tsconfig.json", "types/tsconfig.json"]) {
  test(`tsc -p ${project}`, () => {
    const path = fileURLToPath(new URL(project, import.meta.url));
    const { status, stdout } = spawnSync(process.execPath, [TSC, "-p", path], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}
