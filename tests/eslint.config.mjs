// The rules for all JavaScript of the repository; web/ is type-checked besides (tests/web/tsconfig.json).

import globals from "globals";

/** Faults. */
const FAULTS = [
  "array-callback-return", "constructor-super", "for-direction", "getter-return", "no-cond-assign", "no-const-assign",
  "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys", "no-duplicate-case", "no-empty", "no-eval", "no-fallthrough",
  "no-implied-eval", "no-self-assign", "no-self-compare", "no-sparse-arrays", "no-throw-literal", "no-undef", "no-unreachable",
  "no-unreachable-loop", "no-unsafe-finally", "no-unsafe-optional-chaining", "no-useless-backreference", "require-yield",
  "use-isnan", "valid-typeof",
];
/** What is not used, or can be said in fewer words. */
const CLUTTER = [
  "dot-notation", "eqeqeq", "no-duplicate-imports", "no-else-return", "no-lonely-if", "no-unneeded-ternary",
  "no-unused-private-class-members", "no-useless-catch", "no-useless-computed-key", "no-useless-escape", "no-useless-rename",
  "no-useless-return", "no-var", "object-shorthand", "prefer-const", "prefer-rest-params", "prefer-spread",
];

export default [
  { ignores: ["**/node_modules/", "tests/bundlers/build/", "web/docs/"] },
  {
    files: ["**/*.js", "**/*.mjs"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: {
      globals: { ...globals.browser, ...globals.worker, ...globals.node, ...globals.jest },
      parserOptions: { ecmaFeatures: { jsx: true } }, // pages of Next.js
    },
    rules: {
      ...Object.fromEntries([...FAULTS, ...CLUTTER].map((rule) => [rule, "error"])),
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
];
