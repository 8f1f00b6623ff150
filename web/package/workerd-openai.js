// wwho/openai: names of OpenAI's models, the tokens of chats, and what they cost. For workerd (Cloudflare Workers).

import { withEncodings } from "./lib/openai.js";
import { getEncoding } from "./workerd.js";

export { estimateCost, models, modelsDate } from "./lib/openai.js";

export const { countChat, encodingForModel } = /* @__PURE__ */ withEncodings(getEncoding);
