// wwho/openai: names of OpenAI's models, the tokens of chats, and what they cost. For Node, Deno and Bun.

import { withEncodings } from "./lib/openai.js";
import { getEncoding } from "./node.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

export const { countChat, encodingForModel } = /* @__PURE__ */ withEncodings(getEncoding);
