import { ask } from "../../ask.js";

export const dynamic = "force-dynamic";

export async function GET() {
  return Response.json(await ask());
}
