// Which messages of a chat stay if not all of them fit.

/**
 * Return which messages stay: those of the roles that are kept, and of the others the newest that fit. They stay or go in groups: a call of
 * a tool with its answers, and reasoning with what follows it, because OpenAI takes neither without the other.
 * @param {readonly any[]} messages
 * @param {readonly number[]} counts the tokens of each
 * @param {number} room the tokens that there may be in all messages
 * @param {ReadonlySet<string>} keep roles
 * @returns {{ stays: boolean[], tokens: number, missing: number }} for each message; the tokens of those that stay; and how many tokens
 *   more there would have to be for the newest group, 0 if it stays
 */
export function newestThatFit(messages, counts, room, keep) {
  const stays = messages.map(({ role }) => keep.has(role));
  let tokens = counts.reduce((sum, count, i) => sum + (stays[i] ? count : 0), 0);
  let missing = Math.max(0, tokens - room);
  const starts = groupStarts(messages);
  for (let end = messages.length; end > 0 && missing === 0; ) {
    const start = starts[end - 1];
    const others = Array.from({ length: end - start }, (_, i) => start + i).filter((i) => !stays[i]);
    const more = others.reduce((sum, i) => sum + counts[i], 0);
    if (tokens + more > room) {
      if (end === messages.length) missing = tokens + more - room;
      break;
    }
    for (const i of others) stays[i] = true;
    tokens += more;
    end = start;
  }
  return { stays, tokens, missing };
}

/**
 * Return the first message of each message's group.
 * @param {readonly any[]} messages
 * @returns {number[]} the places; groups are neighbours
 */
function groupStarts(messages) {
  /** The places of calls by their ids. @type {Map<unknown, number>} */
  const calls = new Map();
  const isId = (/** @type {unknown} */ id) => typeof id === "string";
  const needed = messages.map((message, i) => {
    const ids = [...(message.tool_calls ?? []).map((/** @type {any} */ call) => call.id), ...(message.type?.endsWith("_call") ? [message.call_id] : [])];
    for (const id of ids.filter(isId)) calls.set(id, i);
    const isAnswer = message.role === "tool" || message.role === "function" || message.type?.endsWith("_call_output");
    // Without an id that is known, an answer belongs to the message before it.
    const before = messages[i - 1]?.type === "reasoning" || isAnswer ? Math.max(0, i - 1) : i;
    return Math.min(before, calls.get(message.tool_call_id || (isAnswer ? message.call_id : undefined)) ?? before);
  });
  const joined = messages.map(() => false); // whether a message goes with the one before it
  for (let i = messages.length - 1, reach = i; i >= 0; i--) {
    reach = Math.min(reach, needed[i]);
    joined[i] = reach < i;
  }
  /** @type {number[]} */
  const starts = [];
  for (const i of messages.keys()) starts.push(joined[i] ? starts[i - 1] : i);
  return starts;
}
