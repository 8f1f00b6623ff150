// The modules of the page in Node. Wherever the page is served, package/ lies beside page/; in the repository it lies one folder up.

import { register } from "node:module";

const SITE = new URL("../web/site/", import.meta.url).href;
const PACKAGE = new URL("../web/package/", import.meta.url).href;
const HOOK = `export const resolve = (name, context, next) =>
  next(context.parentURL?.startsWith("${SITE}") ? name.replace(/^(\\.\\.\\/)+package\\//, "${PACKAGE}") : name, context);`;

register(`data:text/javascript,${encodeURIComponent(HOOK)}`);

/**
 * Import a module of the page.
 * @param {string} path such as page/data/examples.js
 * @returns {Promise<any>}
 */
export const fromSite = (path) => import(SITE + path);
