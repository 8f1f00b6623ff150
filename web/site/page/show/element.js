/**
 * Make an element with its children.
 * @param {string} tag
 * @param {string} className "" for none
 * @param {...(string | Node)} children a string becomes text
 * @returns {HTMLElement}
 */
export function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}
