// An encoding by a name that no bundler knows.

import { getEncoding } from "wwho";

import { show } from "./show.js";

async function ask() {
  const [enc, again] = await Promise.all([getEncoding("wwho_328k"), getEncoding("wwho_328k")]);
  const nonsense = await getEncoding("nonsense").catch(({ status }) => status);
  return { name: enc.name, count: enc.countTokens("ඔයා 1 special अद्भुत"), same: enc === again, nonsense };
}

ask()
  .catch(({ status, message }) => ({ error: [status, message] }))
  .then(show);
