// Items of the Responses interface as messages. OpenAI does not say how a model reads them: these are estimates.

import { argumentError } from "../arguments.js";
import { typeOfKnown } from "./fields.js";

/** The messages of items that are no messages, by the items' types. @type {Readonly<Record<string, (item: any) => any>>} */
const MESSAGES = {
  function_call: ({ name, arguments: given, call_id: id }) => call({ type: "function", id, function: { name, arguments: given } }),
  custom_tool_call: ({ name, input, call_id: id }) => call({ type: "custom", id, custom: { name, input } }),
  function_call_output: ({ output, call_id: id }) => ({ role: "tool", content: output, tool_call_id: id }),
  custom_tool_call_output: ({ output, call_id: id }) => ({ role: "tool", content: output, tool_call_id: id }),
  reasoning: ({ summary, content }) => ({ role: "assistant", content: textsOf(summary, content) }),
};

/** Return the message with one call of a tool. @param {any} each the call */
const call = (each) => ({ role: "assistant", tool_calls: [each] });

/**
 * Return the texts of a reasoning item: all that it has, or undefined if it stands for text that only OpenAI has.
 * @param {readonly any[] | null} [summary]
 * @param {readonly any[] | null} [content]
 * @returns {any[] | undefined}
 * @throws {import("../errors.js").WwhoError} ARGUMENT for what is no list
 */
function textsOf(summary, content) {
  for (const [name, list] of Object.entries({ summary, content })) {
    if (!Array.isArray(list ?? [])) throw argumentError(`the ${name} of an item of type reasoning`, list, "a list of parts");
  }
  const texts = [...(summary ?? []), ...(content ?? [])];
  return texts.length > 0 ? texts : undefined;
}

/**
 * Return a message as it is, and an item of the Responses interface as the message that it stands for.
 * @param {any} item
 * @returns {any}
 * @throws {import("../errors.js").WwhoError} ARGUMENT for a type of item, or a field, that cannot be counted
 */
export function messageOf(item) {
  const type = item?.type;
  if (type === undefined || type === null || type === "message") return item;
  typeOfKnown(item, "item");
  return MESSAGES[type](item);
}
