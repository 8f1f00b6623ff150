// The gallery: well-known tokenizers, the size of their files, and their tokens for the parallel sentences. It is loaded when it is opened.

import { PARALLEL } from "../data/parallel.js";
import { element } from "./element.js";
import { bytes, count } from "./format.js";

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {any}
 */
const find = (id) => document.getElementById(id);

/** Fill the table of the gallery, unless it is filled already. */
export async function showGallery() {
  if (find("gallery-rows").children.length > 0) return;
  const { GALLERY } = await import("../data/gallery.js");
  const heads = ["Tokenizer, licence", "Ids", "As .wwho", "Published", ...PARALLEL.map(({ name }) => name)];
  find("gallery-heads").replaceChildren(...heads.map((text) => withScope(element("th", "", text), "col")));
  find("gallery-rows").replaceChildren(
    ...GALLERY.map(({ name, license, home, ids, bytes: packed, file = "", original, tokens }) => {
      const head = withScope(element("th", "", home ? linkTo(name, `https://huggingface.co/${home}`) : name, small(license)), "row");
      const theirs = original ? element("td", "", bytes(original), small(file)) : element("td", "", "–");
      const cells = [count(ids), bytes(packed)].map((text) => element("td", "", text));
      return element("tr", "", head, ...cells, theirs, ...tokens.map((number) => element("td", "", count(number))));
    }),
  );
}

/**
 * Return a text in small print, which stands below what is before it.
 * @param {string} text
 * @returns {HTMLElement}
 */
const small = (text) => element("small", "", text);

/**
 * Give a head of a table its scope, and return it.
 * @param {HTMLElement} head
 * @param {string} scope
 * @returns {HTMLElement}
 */
function withScope(head, scope) {
  head.setAttribute("scope", scope);
  return head;
}

/**
 * Return a link to another site.
 * @param {string} text
 * @param {string} address
 * @returns {HTMLAnchorElement}
 */
function linkTo(text, address) {
  const link = /** @type {HTMLAnchorElement} */ (element("a", "", text));
  link.href = address;
  link.rel = "noopener";
  return link;
}
