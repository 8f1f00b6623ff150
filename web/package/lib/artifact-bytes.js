// The bytes of a .wwho file (wasm/FORMAT.md): its numbers, its sections, its checksum.

const END = 0xff;

/** Bytes that are written one after the other. */
export class ByteWriter {
  #bytes = new Uint8Array(1 << 12);
  #length = 0;

  /** What has been written, until more is. */
  get bytes() {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * Count some bytes as written, for the caller to fill, and return where the first goes. The memory may be another one afterwards.
   * @param {number} size how many
   * @returns {number}
   */
  #room(size) {
    const begin = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#length);
      bytes.set(this.#bytes.subarray(0, begin));
      this.#bytes = bytes;
    }
    return begin;
  }

  /** @param {ArrayLike<number>} bytes */
  put(bytes) {
    const begin = this.#room(bytes.length); // before the memory is looked at, which may be another one afterwards
    this.#bytes.set(bytes, begin);
  }

  /** @param {...number} numbers of one byte each */
  u8(...numbers) {
    this.put(numbers);
  }

  /** @param {...number} numbers of two bytes each */
  u16(...numbers) {
    for (const number of numbers) this.u8(number, number >>> 8);
  }

  /** @param {...number} numbers of four bytes each */
  u32(...numbers) {
    for (const number of numbers) this.u8(number, number >>> 8, number >>> 16, number >>> 24);
  }

  /**
   * Append numbers as LEB128, each in its shortest form of one to four bytes.
   * @param {ArrayLike<number>} numbers from 0, below 2 ** 28; this is not checked
   */
  lebs(numbers) {
    let at = this.#room(4 * numbers.length);
    const bytes = this.#bytes;
    for (let i = 0; i < numbers.length; i++) {
      let number = numbers[i];
      for (; number > 127; number >>>= 7) bytes[at++] = number | 128;
      bytes[at++] = number;
    }
    this.#length = at;
  }

  /** @param {ArrayLike<number>} text as in LISTED: with the byte that ends it */
  listed(text) {
    this.put(text);
    this.u8(END);
  }
}

/**
 * Return the difference of each number to the one before it (of the first to 0), made unsigned: d becomes 2 d, or -2 d - 1 below 0.
 * @param {Int32Array} numbers
 * @returns {Int32Array} a new array
 */
export function zigzag(numbers) {
  let before = 0;
  return numbers.map((number) => {
    const difference = number - before;
    before = number;
    return difference < 0 ? -2 * difference - 1 : 2 * difference;
  });
}

const CRC = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/**
 * Return the CRC-32 of bytes 0 to 15 and of those from 20 on, which the header of a file holds in the four bytes between.
 * @param {Uint8Array} file
 * @returns {number} of 32 bits, not negative
 */
function checksum(file) {
  let crc = -1;
  for (let at = 0; at < file.length; at++) {
    if (at === 16) at = 20;
    crc = (crc >>> 8) ^ CRC[(crc ^ file[at]) & 255];
  }
  return ~crc >>> 0;
}

const MAGIC = [0x89, 0x57, 0x57, 0x48, 0x4f, 0x0d, 0x0a, 0x1a];
const [VERSION, HEADER_BYTES, ENTRY_BYTES] = [3, 20, 12];

/**
 * Return the file that consists of some sections: header, table, and the sections, each filled up with zeros to a multiple of four bytes.
 * @param {readonly (readonly [kind: number, data: Uint8Array])[]} sections by ascending kind, which is not checked
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function assemble(sections) {
  let offset = HEADER_BYTES + ENTRY_BYTES * sections.length;
  const table = sections.map(([kind, { length }]) => {
    const entry = [kind, offset, length];
    offset += length + (-length & 3);
    return entry;
  });
  const file = new Uint8Array(offset);
  const view = new DataView(file.buffer);
  file.set(MAGIC);
  view.setUint16(8, VERSION, true);
  view.setUint16(10, sections.length, true);
  view.setUint32(12, file.length, true);
  for (const [i, entry] of table.entries()) {
    for (const [k, number] of entry.entries()) view.setUint32(HEADER_BYTES + ENTRY_BYTES * i + 4 * k, number, true);
    file.set(sections[i][1], entry[1]);
  }
  view.setUint32(16, checksum(file), true);
  return file;
}

/**
 * Return the sections of a file, in its order. Their bytes are views of the file's.
 * @param {Uint8Array} file
 * @returns {[kind: number, data: Uint8Array][]} none: it is no whole file of this version, or its checksum is another
 */
export function sectionsOf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (file.length < HEADER_BYTES || MAGIC.some((byte, i) => file[i] !== byte) || view.getUint16(8, true) !== VERSION) return [];
  if (view.getUint32(12, true) !== file.length || view.getUint32(16, true) !== checksum(file)) return [];
  return Array.from({ length: view.getUint16(10, true) }, (_, i) => {
    const [kind, offset, length] = [0, 4, 8].map((at) => view.getUint32(HEADER_BYTES + ENTRY_BYTES * i + at, true));
    return [kind, file.subarray(offset, offset + length)];
  });
}
