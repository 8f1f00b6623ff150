// wwho/openai for browsers and Workers: OpenAI's models, the tokens of chats, and what they cost. Written by tools/build_npm.py.

import { getEncoding } from "./index.js";
import { withEncodings } from "./lib/openai.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

export const { countChat, encodingForModel } = /* @__PURE__ */ withEncodings(getEncoding);
