// The page without a network. What it needs is kept at the first visit: the page, and whatever its files name, found by reading
// them. The network always comes first, so that nobody sees an old page; what it answers is kept in place of what was.
//
// A server may pin the files of a page to their version (static/VERSION/page/main.js). Kept are the plain names: to a pinned one
// that cannot be fetched, the plain one is the answer.

const CACHE = "wwho";
const PAGE = "./";
const MODELS = ["models/wwho_328k.wwho", "models/o200k_base.wwho"];
const PINNED = /static\/[0-9a-f]{16}\//;
/** What HTML and modules name: links, imports, and files beside them. */
const NAMES = [/\b(?:src|href)="([^":#]+\.(?:js|css|svg))"/g, /\bfrom "(\.[^"]+)"/g, /new URL\("(\.[^"]+)", import\.meta\.url\)/g];

/** @type {any} the types know only windows */
const worker = self;
const found = { ignoreSearch: true, ignoreVary: true };

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(keepAll());
  worker.skipWaiting();
});

worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || pathname.includes("/api/")) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else event.respondWith(file(request));
});

/** Keep the page and everything that it needs. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const urls = new Set([PAGE, ...MODELS].map((name) => new URL(name, location.href).href));
  for (const url of urls) { // which grows while it is walked
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
    await cache.put(url, response.clone());
    if (!/text\/(html|javascript)/.test(response.headers.get("Content-Type") ?? "")) continue;
    const text = await response.text();
    for (const name of NAMES.flatMap((pattern) => [...text.matchAll(pattern)])) urls.add(new URL(name[1], url).href);
  }
}

/** @param {any} event of a page that is opened @returns {Promise<Response>} */
async function page(event) {
  const cache = await caches.open(CACHE);
  const isPage = /^(index\.html)?$/.test(event.request.url.slice(worker.registration.scope.length).replace(/[?#].*/, ""));
  try {
    const response = await fetch(event.request);
    if (isPage) event.waitUntil(renew(cache, response.clone()));
    else if (response.ok) await cache.put(event.request.url, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(isPage ? PAGE : event.request.url, found);
    if (kept) return kept;
    throw error;
  }
}

/** Keep everything anew if the page is not what it was at the last visit. @param {Cache} cache @param {Response} response */
async function renew(cache, response) {
  const [seen, text] = await Promise.all([cache.match("seen", found), response.text()]);
  if (!response.ok || (await seen?.text()) === text) return;
  await keepAll();
  await cache.put("seen", new Response(text));
}

/** @param {Request} request @returns {Promise<Response>} */
async function file(request) {
  const cache = await caches.open(CACHE);
  const plain = request.url.replace(PINNED, "");
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(plain, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(plain, found);
    if (kept) return kept;
    throw error;
  }
}
