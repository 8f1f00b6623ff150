import { ask } from "../ask.js";

export const dynamic = "force-dynamic";

export default async function Page() {
  return <p id="server">{JSON.stringify(await ask())}</p>;
}
