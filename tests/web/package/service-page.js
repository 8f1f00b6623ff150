// A page whose Service Worker counts what is posted to /count.

async function run() {
  await navigator.serviceWorker.register("service-worker.js", { type: "module" });
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  }
  const answer = await fetch("count", { method: "POST", body: "ඔයා 1 special अद्भुत" });
  return answer.json();
}

run()
  .catch((error) => ({ error: `${error.name}: ${error.message}` }))
  .then((result) => (document.documentElement.dataset.result = JSON.stringify(result)));
