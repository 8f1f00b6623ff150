// A box that is scrolled fades out where there is more of it (see the style sheet).

const SLACK = 2; // CSS pixels that rounding may leave

/** @param {HTMLElement} box */
export function showOverflow(box) {
  const look = () => {
    box.classList.toggle("more-below", box.scrollHeight - box.clientHeight - box.scrollTop > SLACK);
    box.classList.toggle("more-right", box.scrollWidth - box.clientWidth - box.scrollLeft > SLACK);
  };
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  new MutationObserver(() => requestAnimationFrame(look)).observe(box, { childList: true });
}
