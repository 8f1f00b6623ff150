// The shipped encodings, opened.

import { getEncoding } from "../../web/package/node.js";

export async function getTokenizers() {
  const [o200k, wwho] = await Promise.all([getEncoding("o200k_base"), getEncoding("wwho_328k")]);
  return { o200k, wwho };
}
