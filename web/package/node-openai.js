// wwho/openai for Node, Deno and Bun: OpenAI's models, the tokens of chats, and what they cost. Written by tools/build_npm.py.

import { withEncodings } from "./lib/openai.js";
import { getEncoding } from "./node.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

export const { countChat, encodingForModel } = /* @__PURE__ */ withEncodings(getEncoding);
