// Copying, even without the clipboard API, which pages from plain http addresses do not have.

/**
 * Copy a text to the clipboard.
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/**
 * Copy a text in the old way: select it in a text area that nobody sees. The focus stays where it was.
 * @param {string} text
 * @returns {boolean} whether it was copied
 */
function copySelected(text) {
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "visually-hidden";
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  document.body.append(box);
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  before?.focus();
  return copied;
}
