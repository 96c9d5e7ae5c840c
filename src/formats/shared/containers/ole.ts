import { ParseError } from '#src/documents/errors.ts';

export const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

const HEADER_SIZE = 512;
const ENTRY_SIZE = 128;
const MINI_SECTOR = 64;
const MAX_ENTRIES = 100_000;
/** Maximum size of a stream in bytes. A stream is held in memory in addition to the file. */
const MAX_STREAM_BYTES = 32 * 1024 * 1024;
/**
 * Maximum number of stream bytes read for each byte of the file. Streams that share sectors would exceed this
 * limit.
 */
const READ_BYTES_PER_FILE_BYTE = 16;
const MIN_READABLE_BYTES = 16 * 1024 * 1024;
/** Sector numbers from here on are markers, such as end of chain, unused sector or sector of the table. */
const FIRST_SPECIAL_SECTOR = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const STORAGE = 1;
const STREAM = 2;

interface Entry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

/** A folder ("storage") of a compound file. */
export interface OleFolder {
  readonly streamNames: readonly string[];
  readonly folderNames: readonly string[];
  /**
   * Returns a subfolder, or `undefined` if there is none with this name. Throws ParseError if folders contain
   * each other.
   */
  folder(name: string): OleFolder | undefined;
  /** Returns the declared size of a stream in bytes, or `undefined` if there is none with this name. */
  getSize(name: string): number | undefined;
  /**
   * Returns the bytes of a stream, or `undefined` if there is none with this name. Throws ParseError if its
   * sector chain is damaged.
   */
  stream(name: string): Uint8Array | undefined;
}

/** An OLE2 compound file, the container of legacy Office files. It holds named streams. */
export class OleFile {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #sectorSize: number;
  readonly #fat: Uint32Array;
  readonly #entries: Entry[];
  readonly #streams: ReadonlyMap<string, Entry>;
  readonly #folders = new Map<Entry, OleFolder>();
  #visits = 0;
  #remainingBytes: number;
  #miniStream: { bytes: Uint8Array; next: DataView } | undefined;

  /** Throws ParseError FILE_IS_BROKEN if the tables of the container cannot be read. */
  constructor(bytes: Uint8Array) {
    if (bytes.length < HEADER_SIZE) throw broken('it is cut short');
    this.#bytes = bytes;
    this.#remainingBytes = MIN_READABLE_BYTES + READ_BYTES_PER_FILE_BYTE * bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const shift = this.#view.getUint16(30, true);
    if (shift < 7 || shift > 16) throw broken('its sector size is invalid');
    this.#sectorSize = 1 << shift;
    this.#fat = this.#readFat();
    this.#entries = this.#readEntries();
    this.#streams = this.#collectChildren(this.#entries[0]!, STREAM);
  }

  /** Names of the streams at the top level. Streams of embedded objects are not included. */
  get names(): string[] {
    return [...this.#streams.keys()];
  }

  /**
   * Returns the bytes of a top-level stream, or `undefined` if there is none with this name. Throws
   * ParseError if its sector chain is damaged.
   */
  stream(name: string): Uint8Array | undefined {
    const entry = this.#streams.get(name);
    return entry && this.#read(entry);
  }

  /** Returns the root folder, for formats that nest folders. */
  root(): OleFolder {
    return this.#folder(this.#entries[0]!);
  }

  #folder(entry: Entry): OleFolder {
    const known = this.#folders.get(entry);
    if (known) return known;
    const streams = this.#collectChildren(entry, STREAM);
    const folders = this.#collectChildren(entry, STORAGE);
    const folder: OleFolder = {
      streamNames: [...streams.keys()],
      folderNames: [...folders.keys()],
      folder: (name) => {
        const found = folders.get(name);
        return found && this.#folder(found);
      },
      getSize: (name) => streams.get(name)?.size,
      stream: (name) => {
        const found = streams.get(name);
        return found && this.#read(found);
      },
    };
    this.#folders.set(entry, folder);
    return folder;
  }

  /** Reads a stream. Throws ParseError if the streams read so far are together far longer than the file. */
  #read(entry: Entry): Uint8Array {
    this.#remainingBytes -= entry.size;
    if (this.#remainingBytes < 0) throw broken('its streams overlap');
    const cutoff = this.#view.getUint32(56, true);
    if (entry.size >= cutoff) return this.#chain(entry.start, entry.size);
    if (entry.size > this.#bytes.length) throw broken(`"${entry.name}" claims to be larger than the file`);
    const { bytes: pool, next } = this.#readMiniStream();
    const stream = new Uint8Array(entry.size);
    let sector = entry.start;
    for (let at = 0; at < entry.size; at += MINI_SECTOR) {
      const from = sector * MINI_SECTOR;
      if (from >= pool.length) throw broken(`a part of "${entry.name}" is missing`);
      stream.set(pool.subarray(from, from + Math.min(MINI_SECTOR, entry.size - at)), at);
      sector = sector * 4 + 4 <= next.byteLength ? next.getUint32(sector * 4, true) : NO_ENTRY;
    }
    return stream;
  }

  /** Returns the stream that contains all small streams, and the table that chains its sectors. */
  #readMiniStream() {
    if (!this.#miniStream) {
      const root = this.#entries[0]!;
      const table = this.#chain(this.#view.getUint32(60, true));
      const next = new DataView(table.buffer, table.byteOffset, table.byteLength);
      this.#miniStream = { bytes: this.#chain(root.start, root.size), next };
    }
    return this.#miniStream;
  }

  /**
   * Reads the file allocation table, which maps each sector to the next one. The table's own sectors are
   * listed in the header and in a chain of further lists.
   */
  #readFat(): Uint32Array {
    const perSector = this.#sectorSize / 4;
    const sectors = Math.ceil(this.#bytes.length / this.#sectorSize);
    const fat = new Uint32Array(sectors).fill(NO_ENTRY);
    let filled = 0;
    const take = (sector: number) => {
      const at = this.#getSectorOffset(sector);
      for (let index = 0; index < perSector && filled < sectors; index++, filled++) {
        if (at + index * 4 + 4 <= this.#bytes.length)
          fat[filled] = this.#view.getUint32(at + index * 4, true);
      }
    };
    for (let index = 0; index < 109; index++) {
      const sector = this.#view.getUint32(76 + index * 4, true);
      if (sector < FIRST_SPECIAL_SECTOR) take(sector);
    }
    let list = this.#view.getUint32(68, true);
    while (list < FIRST_SPECIAL_SECTOR && filled < sectors) {
      const at = this.#getSectorOffset(list);
      if (at + this.#sectorSize > this.#bytes.length) break;
      const before = filled;
      for (let index = 0; index < perSector - 1; index++) {
        const sector = this.#view.getUint32(at + index * 4, true);
        if (sector < FIRST_SPECIAL_SECTOR) take(sector);
      }
      // Stops at a list without entries, which may point back to itself.
      if (filled === before) break;
      list = this.#view.getUint32(at + this.#sectorSize - 4, true);
    }
    return fat;
  }

  #getSectorOffset(sector: number): number {
    return (sector + 1) * this.#sectorSize;
  }

  /** Reads the first `size` bytes of a chain of sectors, or the whole chain if `size` is absent. */
  #chain(start: number, size?: number): Uint8Array {
    const most = this.#fat.length * this.#sectorSize;
    if (size !== undefined && size > most)
      throw broken('one of its streams claims to be larger than the file');
    const sectors: number[] = [];
    const wanted = size === undefined ? this.#fat.length : Math.ceil(size / this.#sectorSize);
    let sector = start;
    while (sector < FIRST_SPECIAL_SECTOR && sectors.length < wanted) {
      if (sector >= this.#fat.length) throw broken('a sector number points outside the file');
      sectors.push(sector);
      sector = this.#fat[sector]!;
    }
    if (size !== undefined && sectors.length < wanted)
      throw broken('a part of one of its streams is missing');
    if (size === undefined && sector < FIRST_SPECIAL_SECTOR) throw broken('its sector chain is circular');
    const length = size ?? sectors.length * this.#sectorSize;
    if (length > MAX_STREAM_BYTES) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `A stream inside the file has more than ${MAX_STREAM_BYTES} bytes.`,
      );
    }
    const bytes = new Uint8Array(length);
    sectors.forEach((one, index) => {
      const from = this.#getSectorOffset(one);
      const to = index * this.#sectorSize;
      bytes.set(this.#bytes.subarray(from, from + Math.min(this.#sectorSize, bytes.length - to)), to);
    });
    return bytes;
  }

  #readEntries(): Entry[] {
    const directory = this.#chain(this.#view.getUint32(48, true));
    const view = new DataView(directory.buffer);
    const entries: Entry[] = [];
    const utf16 = new TextDecoder('utf-16le');
    for (let at = 0; at + ENTRY_SIZE <= directory.length && entries.length < MAX_ENTRIES; at += ENTRY_SIZE) {
      const length = Math.min(64, view.getUint16(at + 64, true));
      entries.push({
        name: utf16.decode(directory.subarray(at, at + Math.max(0, length - 2))),
        type: view.getUint8(at + 66),
        left: view.getUint32(at + 68, true),
        right: view.getUint32(at + 72, true),
        child: view.getUint32(at + 76, true),
        start: view.getUint32(at + 116, true),
        size: view.getUint32(at + 120, true),
      });
    }
    if (entries.length === 0) throw broken('its directory is missing');
    return entries;
  }

  /**
   * Returns the streams or the subfolders of a folder by name. The entries of a folder form a binary tree of
   * siblings.
   */
  #collectChildren(folder: Entry, type: typeof STREAM | typeof STORAGE): Map<string, Entry> {
    const found = new Map<string, Entry>();
    const waiting = [folder.child];
    const seen = new Set<number>();
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const entry = this.#entries[index];
      if (!entry || seen.has(index)) continue;
      seen.add(index);
      // An entry belongs to one folder, which is searched once for streams and once for folders.
      if (++this.#visits > 3 * this.#entries.length) throw broken('its folders contain each other');
      if (entry.type !== STREAM && entry.type !== STORAGE) continue;
      if (entry.type === type && !found.has(entry.name)) found.set(entry.name, entry);
      waiting.push(entry.left, entry.right);
    }
    return found;
  }
}
