// JSON read from its bytes, for wwho/import: strictly, and without a string for what its caller reads byte by byte.
//
// What Python and JavaScript might read differently is refused, and so is whatever Python refuses: Python then reads the file, or says
// what is wrong with it.

/** Why a file is not imported in JavaScript. Its message completes "Python reads the file, because ...". */
export class Refusal extends Error {}

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x2c, 0x3a, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
/** Levels of objects and lists; Python reads 50. */
const MAX_DEPTH = 40;
const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,2})?$/;

/** A place in the bytes of a JSON document, which the methods move on. */
export class JsonReader {
  #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #isLoose;
  #depth = 0;

  /**
   * Begin after the mark of the byte order, if there is one.
   * @param {Uint8Array} bytes
   * @param {boolean} [isLoose] whether numbers may be fractions, which Python and JavaScript write differently, and keys may be numbers,
   *   which JavaScript sorts
   */
  constructor(bytes, isLoose = false) {
    this.bytes = bytes;
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    this.#isLoose = isLoose;
  }

  /** Pass white space, and return the byte after it, at which the reader stands then; undefined at the end. */
  next() {
    const { bytes } = this;
    let byte = bytes[this.at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.at];
    return byte;
  }

  /** @returns {never} @throws {Refusal} */
  refuse(what = "it is no JSON") {
    throw new Refusal(`${what}, at byte ${this.at}`);
  }

  /** @throws {Refusal} if anything but white space follows */
  end() {
    if (this.next() !== undefined) this.refuse();
  }

  /**
   * Read an object, member by member, in the order of the file.
   * @param {(key: string) => void} readMember is called at the first byte of each value, with its key, and moves the reader behind the value
   * @throws {Refusal} if it is none, is nested too deeply, or a key comes twice
   */
  object(readMember) {
    const keys = new Set();
    this.#list(OPEN_OBJECT, CLOSE_OBJECT, () => {
      const key = this.string();
      if (keys.has(key)) this.refuse("a key comes twice in one object");
      if (!this.#isLoose && INTEGER.test(key)) this.refuse("a key is a number");
      keys.add(key);
      if (this.next() !== COLON) this.refuse();
      this.at++;
      this.next();
      readMember(key);
    });
  }

  /**
   * Read a list, item by item.
   * @param {() => void} readItem is called at the first byte of each item, and moves the reader behind it
   * @throws {Refusal} if it is none, or is nested too deeply
   */
  list(readItem) {
    this.#list(OPEN_LIST, CLOSE_LIST, readItem);
  }

  /**
   * Read what stands in brackets, with commas between: nothing, or items, none of them missing.
   * @param {number} open the byte that begins it
   * @param {number} close the byte that ends it
   * @param {() => void} readItem is called at the first byte of each item, and moves the reader behind it
   * @throws {Refusal} if another byte stands there, or more than MAX_DEPTH of them are nested
   */
  #list(open, close, readItem) {
    if (this.next() !== open) this.refuse();
    if (++this.#depth > MAX_DEPTH) this.refuse("it is nested deeply");
    this.at++;
    if (this.next() !== close) {
      for (;;) {
        readItem();
        if (this.next() !== COMMA) break;
        this.at++;
        this.next();
      }
      if (this.bytes[this.at] !== close) this.refuse();
    }
    this.at++;
    this.#depth--;
  }

  /**
   * Read any value. An object has no prototype, and its keys are in the order of the file.
   * @returns {any}
   * @throws {Refusal} if it is no JSON, or Python reads it differently
   */
  value() {
    switch (this.next()) {
      case OPEN_OBJECT: {
        const found = Object.create(null);
        this.object((key) => {
          found[key] = this.value();
        });
        return found;
      }
      case OPEN_LIST: {
        /** @type {unknown[]} */
        const found = [];
        this.list(() => found.push(this.value()));
        return found;
      }
      case QUOTE:
        return this.string();
      default:
        return this.#word();
    }
  }

  /**
   * Read a number, true, false or null, and return its value. Unless the reader is loose, a number must be an integer that JavaScript has
   * exactly.
   * @returns {any}
   * @throws {Refusal} if it is anything else
   */
  #word() {
    let end = this.at;
    while (/[-+.\w]/.test(String.fromCharCode(this.bytes[end]))) end++;
    const word = String.fromCharCode(...this.bytes.subarray(this.at, Math.min(end, this.at + 300)));
    const isNumber = this.#isLoose ? NUMBER.test(word) : INTEGER.test(word) && Number.isSafeInteger(Number(word));
    if (!isNumber && !["true", "false", "null"].includes(word)) this.refuse(NUMBER.test(word) ? "a number is no small integer" : undefined);
    this.at = end;
    return JSON.parse(word);
  }

  /**
   * Read a string with its quotes, and return its text without escapes.
   * @returns {string}
   * @throws {Refusal} if it is none, is no UTF-8, or has half of a surrogate pair
   */
  string() {
    const { bytes } = this;
    if (this.next() !== QUOTE) this.refuse();
    const begin = this.at + 1;
    let [end, isPlain] = [begin, true];
    for (let byte; (byte = bytes[end]) !== QUOTE; end++) {
      if (!(byte >= 0x20)) this.refuse(); // a control character, or the end of the bytes
      if (byte === BACKSLASH) {
        isPlain = false;
        end++;
      }
    }
    let text;
    try {
      text = this.#decoder.decode(bytes.subarray(begin, end));
      if (!isPlain) text = JSON.parse(`"${text}"`);
    } catch {
      this.refuse();
    }
    if (!isPlain && /\p{Cs}/u.test(text)) this.refuse("a text has half of a surrogate pair");
    this.at = end + 1;
    return text;
  }
}
