import { getEncoding } from "wwho";
import { load } from "wwho/cl100k_base";

const NAMES = ["o200k_base", "cl100k_base", "wwho_328k"];

/** What every kind of route finds out. */
export async function ask() {
  const named = load();
  const found = { named: [named.name, named.countTokens("ඔයා 1 special अद्भुत")] };
  for (const name of NAMES) {
    const [enc, again] = await Promise.all([getEncoding(name), getEncoding(name)]);
    found[name] = [enc.name, enc.countTokens("ඔයා 1 special अद्भुत"), enc === again];
  }
  found.nonsense = await getEncoding("nonsense").catch(({ status, message }) => [status, message]);
  return found;
}
