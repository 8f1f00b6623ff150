/** Tell the test: in the document where there is one, else on the console. */
export function show(result) {
  if (typeof document === "undefined") console.log(JSON.stringify(result));
  else document.documentElement.dataset.result = JSON.stringify(result);
}
