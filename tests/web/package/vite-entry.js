// For Vite: nothing to say.

import { getEncoding } from "wwho";
import { getEncoding as getInWorker } from "wwho/worker";

async function run() {
  const text = "ඔයා 1 special अद्भुत";
  const [here, there] = await Promise.all([getEncoding("wwho_328k"), getInWorker("wwho_328k")]);
  return { count: here.countTokens(text), far: await there.countTokens(text) };
}

run()
  .catch((error) => ({ error: `${error.name}: ${error.message}` }))
  .then((result) => (document.documentElement.dataset.result = JSON.stringify(result)));
