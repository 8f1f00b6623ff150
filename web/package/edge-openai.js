// wwho/openai: names of OpenAI's models, the tokens of chats, and what they cost. For Vercel's edge runtime and Next's.

import { getEncoding } from "./edge.js";
import { withEncodings } from "./lib/openai.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

export const { countChat, encodingForModel } = /* @__PURE__ */ withEncodings(getEncoding);
