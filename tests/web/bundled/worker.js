import { getEncoding } from "wwho/worker";

import { show } from "./show.js";

async function ask() {
  const enc = await getEncoding("wwho_328k");
  const count = await enc.countTokens("ඔයා 1 special अद्भुत");
  enc.free();
  return { name: enc.name, count };
}

ask()
  .catch(({ status, message }) => ({ error: [status, message] }))
  .then(show);
