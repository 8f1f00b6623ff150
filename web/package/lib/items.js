// The items of a stream, an iterable or a Blob, one by one. An AbortSignal ends the wait for the next.

import { argumentError, isBlob, isIterable, requireMemory } from "./arguments.js";
import { WwhoError } from "./errors.js";

/**
 * If the loop over a source ends early, or the signal ends it, the source is told: a stream is cancelled.
 * @param {any} source ReadableStream, Blob, async iterable or iterable (but no string)
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<any, void, undefined>} which throws the signal's reason, and what the source throws
 * @throws {WwhoError} ARGUMENT for any other kind of source
 */
export function itemsOf(source, signal) {
  return untilAborted(iteratorOf(source), signal);
}

/**
 * The result of a promise, unless the signal comes first.
 * @template T
 * @param {T | Promise<T>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function unlessAborted(promise, signal) {
  const aborted = waitForAbort(signal);
  try {
    const value = await (aborted ? Promise.race([promise, aborted.promise]) : promise);
    signal?.throwIfAborted();
    return value;
  } finally {
    aborted?.forget();
  }
}

/**
 * @param {any} items an iterator
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<any, void, undefined>}
 */
async function* untilAborted(items, signal) {
  const aborted = waitForAbort(signal);
  let ended = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await (aborted ? Promise.race([items.next(), aborted.promise]) : items.next());
      ended = done === true;
      if (ended) return;
      yield value;
    }
  } catch (error) {
    ended = ended || !signal?.aborted;
    throw error;
  } finally {
    aborted?.forget();
    if (!ended) leave(items, signal?.reason);
  }
}

/** @typedef {{ next: () => Promise<IteratorResult<any>>, leave: (reason: unknown) => void }} Feed */

/**
 * The same for a caller that may leave at any time, even before the first item or while it waits for the next.
 * @param {any} source
 * @param {(item: any) => any} change what is made of each item
 * @param {() => unknown} [ready] awaited before each item
 * @returns {Feed}
 * @throws {WwhoError} ARGUMENT
 */
export function feedOf(source, change, ready = () => {}) {
  const left = new AbortController();
  const items = itemsOf(source, left.signal);
  return {
    async next() {
      await ready();
      const { done, value } = await items.next();
      return { done, value: change(value) };
    },
    leave(reason) {
      left.abort(reason);
      items.next().catch(() => {}); // sees the signal, and tells the source
    },
  };
}

/** Ends a source without waiting for its answer. @param {any} items @param {unknown} reason */
function leave(items, reason) {
  Promise.resolve(items.return?.(reason)).catch(() => {});
}

/** @param {any} source */
function iteratorOf(source) {
  if (typeof source?.getReader === "function") return streamIterator(source);
  if (isBlob(source)) return streamIterator(source.stream());
  if (typeof source?.[Symbol.asyncIterator] === "function") return source[Symbol.asyncIterator]();
  if (isIterable(source)) {
    requireMemory(source);
    return source[Symbol.iterator]();
  }
  throw argumentError(
    "the source",
    source,
    "a ReadableStream, a Blob or an iterable of chunks; for one text, give [text]",
  );
}

/** Not every browser can iterate over a stream. @param {ReadableStream} stream */
function streamIterator(stream) {
  if (stream.locked) {
    throw new WwhoError(
      "ARGUMENT",
      "the stream is locked: something else reads it; give each reader a branch of tee()",
    );
  }
  const reader = stream.getReader();
  return { next: () => reader.read(), return: (/** @type {unknown} */ reason) => reader.cancel(reason) };
}

/** @param {AbortSignal | undefined} signal */
function waitForAbort(signal) {
  if (signal === undefined) return undefined;
  let forget = () => {};
  /** @type {Promise<never>} */
  const promise = new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    forget = () => signal.removeEventListener("abort", stop);
  });
  promise.catch(() => {}); // the race may be over already
  return { promise, forget };
}
