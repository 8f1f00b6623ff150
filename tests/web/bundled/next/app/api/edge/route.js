import { initSync } from "wwho/tokenizer";
import core from "wwho/wwho.wasm?module";

import { ask } from "../../ask.js";

export const runtime = "edge";

export async function GET() {
  initSync(core); // not needed; a module of another realm than this program's
  return Response.json(await ask());
}
