// Makes the page work offline. The first visit caches the page and everything that its files name, which is found by reading
// them. The network comes first, so that nobody sees an old page.
//
// Files of two versions do not work together, so each version has its own cache, which is used only when it is complete. A new page
// is shown once everything that it needs is cached. If the network fails before that, the previous version is shown again.
//
// A server may pin the files of a page to their version (static/VERSION/page/main.js). They are cached under their plain names. A
// page whose files are not pinned may stay the same while they change, so it is cached again at each visit.

const PAGE = "./";
const MODELS = ["package/models/o200k_base.wwho", "package/models/cl100k_base.wwho", "package/models/wwho_328k.wwho"];
const PINNED = /static\/[0-9a-f]{16}\//;
/** Finds what HTML and modules name: links, imports, and files next to them. */
const NAMES = [/\b(?:src|href)="([^":#]+\.(?:js|css|svg))"/g, /\b(?:from |await import\()"(\.[^"]+)"/g, /new URL\("(\.[^"]+\.(?:m?js|wasm))", import\.meta\.url\)/g];

/** @type {any} the types know only windows */
const worker = self;
const found = { ignoreSearch: true, ignoreVary: true };
/** The prefix of the names of the caches; other pages of the same host have their own. */
const CACHES = `wwho ${worker.registration.scope} `;

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(fetch(PAGE).then(keepAll));
  worker.skipWaiting();
});

worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || pathname.includes("/api/")) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else event.respondWith(file(event));
});

/**
 * Return the cache of the newest complete version: the page itself is cached last.
 * @returns {Promise<Cache | undefined>}
 */
async function current() {
  for (const name of (await ours()).reverse()) {
    const cache = await caches.open(name);
    if (await cache.match(PAGE, found)) return cache;
  }
  return undefined;
}

/**
 * Return the names of the caches of this page, oldest first.
 * @returns {Promise<string[]>}
 */
const ours = async () => (await caches.keys()).filter((name) => name.startsWith(CACHES));

/** @type {Promise<void> | undefined} */
let keeping;

/**
 * Cache a page and everything that it needs, one version at a time: while another is being cached, wait for that one instead.
 * @param {Response} response the page
 * @returns {Promise<void>}
 */
function keepAll(response) {
  keeping ??= keepVersion(response).finally(() => (keeping = undefined));
  return keeping;
}

/**
 * Cache a page and everything that it needs in a new cache, and delete the caches of other versions; after a failure, delete the new one.
 * @param {Response} response the page
 * @throws {Error} a file cannot be fetched or cached
 */
async function keepVersion(response) {
  const former = await current();
  const name = CACHES + crypto.randomUUID();
  const cache = await caches.open(name);
  try {
    await keepFiles(cache, await checked(response.clone()).text());
    await keepMet(cache, former);
    await cache.put(PAGE, response);
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
  for (const other of await ours()) if (other !== name) await caches.delete(other);
}

/**
 * Cache what a page names, what those files name, and so on.
 * @param {Cache} cache filled under plain names
 * @param {string} html the page
 * @throws {Error} one cannot be fetched
 */
async function keepFiles(cache, html) {
  const pinned = PINNED.exec(html)?.[0] ?? "";
  const base = new URL(PAGE, location.href).href;
  const seen = new Set([...namesIn(html, base), ...MODELS.map((model) => new URL(pinned + model, base).href)]);
  /** Cache a file, and what it names if it is a module. @param {string} url */
  const keep = async (url) => {
    const response = checked(await fetch(url, PINNED.test(url) ? {} : { cache: "no-cache" }));
    await cache.put(url.replace(PINNED, ""), response.clone());
    if (!/javascript/.test(response.headers.get("Content-Type") ?? "")) return;
    const fresh = namesIn(await response.text(), url).filter((each) => !seen.has(each));
    for (const each of fresh) seen.add(each);
    await Promise.all(fresh.map(keep));
  };
  await Promise.all([...seen].map(keep));
}

/**
 * Return the addresses that a text names, by the patterns NAMES.
 * @param {string} text
 * @param {string} url of the text
 * @returns {string[]} whole addresses, perhaps several times
 */
const namesIn = (text, url) => NAMES.flatMap((pattern) => [...text.matchAll(pattern)].map((name) => new URL(name[1], url).href));

/**
 * Cache files that were used before and that the page does not name, such as other tokenizers and Python, if possible.
 * @param {Cache} cache @param {Cache | undefined} former
 */
async function keepMet(cache, former) {
  const main = new URL(PAGE, location.href).href; // kept last
  for (const { url } of (await former?.keys()) ?? []) {
    if (url !== main && !(await cache.match(url, found))) await cache.add(url).catch(() => undefined);
  }
}

/**
 * Return a response as it is, or reject one of an error.
 * @param {Response} response
 * @returns {Response}
 * @throws {Error} it is no success
 */
function checked(response) {
  if (!response.ok) throw new Error(`${response.url}: HTTP status ${response.status}`);
  return response;
}

/**
 * Answer a request for a page: from the network, or if that fails from the cache.
 * @param {any} event of a page that is opened
 * @returns {Promise<Response>}
 */
async function page(event) {
  const cache = await current();
  const isMain = /^(index\.html)?$/.test(event.request.url.slice(worker.registration.scope.length).replace(/[?#].*/, ""));
  try {
    const response = await fetch(event.request);
    if (isMain && response.ok) await renew(event, cache, response.clone());
    else if (response.ok) await cache?.put(event.request.url, response.clone());
    return response;
  } catch (error) {
    const kept = await cache?.match(isMain ? PAGE : event.request.url, found);
    if (kept) return kept;
    throw error;
  }
}

/**
 * Cache everything again; for a new version, before the page is shown.
 * @param {any} event @param {Cache | undefined} cache @param {Response} response
 * @throws {TypeError} the network failed on the way
 */
async function renew(event, cache, response) {
  const [text, kept] = await Promise.all([response.clone().text(), cache?.match(PAGE, found).then((page) => page?.text())]);
  if (text === kept && PINNED.test(text)) return;
  const done = keepAll(response).catch((/** @type {Error} */ error) => {
    if (text !== kept && error instanceof TypeError) throw error; // a server that lacks a file, or a full disk, is no reason to go back
  });
  if (text === kept || !cache) event.waitUntil(done.catch(() => undefined));
  else await done;
}

/**
 * Answer a request for a file: from the network, which also fills the cache, or if that fails from the cache, if the version fits.
 * @param {any} event
 * @returns {Promise<Response>}
 */
async function file(event) {
  const { url } = event.request;
  const plain = url.replace(PINNED, "");
  try {
    const response = await fetch(event.request);
    if (response.status === 200) event.waitUntil(keepMore(plain, response.clone()));
    return response;
  } catch (error) {
    const cache = await current();
    const [kept, page] = await Promise.all([cache?.match(plain, found), cache?.match(PAGE, found)]);
    const html = (await page?.text()) ?? "";
    const version = PINNED.exec(url)?.[0] ?? "";
    // The page kept at the first visit is not pinned: its files are those that the open page has.
    if (kept && (html.includes(version) || !PINNED.test(html))) return kept;
    throw error;
  }
}

/**
 * Cache a file that the page does not name, such as a chosen tokenizer, unless it is cached already or no version is complete.
 * @param {string} plain its address, without the version
 * @param {Response} response
 */
async function keepMore(plain, response) {
  const cache = await current();
  if (cache && !(await cache.match(plain, found))) await cache.put(plain, response);
}
