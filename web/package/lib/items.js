// The items of a stream, an iterable or a Blob, one by one. An AbortSignal ends the wait for the next.

import { argumentError, isBlob, isIterable, requireMemory } from "./arguments.js";
import { WwhoError } from "./errors.js";

/**
 * Return a generator of the items of a source: chunks of a stream or a Blob, or items of an iterable. If the loop over it ends early, or
 * the signal ends it, the source is told: a stream is cancelled.
 * @param {any} source ReadableStream, Blob, async iterable or iterable (but no string)
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<any, void, undefined>} which throws the signal's reason, and what the source throws
 * @throws {WwhoError} ARGUMENT, at once, for any other kind of source, and for a stream that something else reads
 */
export function itemsOf(source, signal) {
  return untilAborted(iteratorOf(source), signal);
}

/**
 * Wait for a promise, but not beyond an abort signal. The promise itself goes on.
 * @template T
 * @param {T | Promise<T>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 * @throws the signal's reason, also if it was aborted before or in the same moment; what the promise rejects with
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
 * Yield the items of an iterator until it ends or the signal is aborted; end the iterator if it has not ended itself.
 * @param {any} items an iterator, synchronous or not
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<any, void, undefined>}
 * @throws the signal's reason; what the iterator throws
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
 * Return the items of a source for a caller that asks for them one by one, and that may leave at any time, even before the first item or
 * while it waits for the next: the source is told.
 * @param {any} source as itemsOf takes it
 * @param {(item: any) => any} change makes what is returned of each item; at the end, of undefined
 * @param {() => unknown} [ready] awaited before each item
 * @returns {Feed} `next` as of an iterator; `leave` ends the source, with a reason
 * @throws {WwhoError} ARGUMENT for any other kind of source
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

/**
 * End an iterator early, without waiting for its answer; an error of its own is ignored.
 * @param {any} items
 * @param {unknown} reason for a stream, why it is cancelled
 */
function leave(items, reason) {
  Promise.resolve(items.return?.(reason)).catch(() => {});
}

/**
 * Return an iterator over the items of a source; its `next` may give a promise.
 * @param {any} source ReadableStream, Blob, async iterable or iterable (but no string)
 * @returns {any}
 * @throws {WwhoError} ARGUMENT for any other kind of source, for a stream that something else reads, and for an array whose memory was
 *   transferred
 */
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

/**
 * Return an iterator over the chunks of a stream, which it locks; `return` cancels the stream with a reason. Not every browser can iterate
 * over a stream itself.
 * @param {ReadableStream} stream
 * @returns {{ next: () => Promise<any>, return: (reason: unknown) => Promise<void> }}
 * @throws {WwhoError} ARGUMENT if something else reads the stream
 */
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

/**
 * Return a promise that rejects with the signal's reason once it is aborted, and a function that stops listening to the signal.
 * @param {AbortSignal | undefined} signal
 * @returns {{ promise: Promise<never>, forget: () => void } | undefined} undefined without a signal
 */
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
