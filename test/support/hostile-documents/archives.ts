import { deflateSync, gzipSync, zipSync } from 'fflate';
import { hostileContainers } from './containers.ts';
import { bytesOfText, concat, type HostileDocument } from './document.ts';

interface Entry {
  name: string;
  /** Compressed bytes. Entries with the same array share one copy. */
  data: Uint8Array;
  size: number;
  crc: number;
  /** Uncompressed size in the central directory instead of `size`. */
  claimed?: number;
  /** Compression method: 8 for deflate, 0 for stored. */
  method?: number;
}

function u16(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value & 255, (value >>> 8) & 255]));
}

function u32(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255)));
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Returns a zip in which entries with the same data share one copy. */
function overlappingZip(entries: readonly Entry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const places = new Map<Uint8Array, number>();
  let at = 0;
  const push = (part: Uint8Array) => {
    parts.push(part);
    at += part.length;
  };
  const facts = ({ data, size, crc, claimed = size, method = 8 }: Entry, nameLength: number) =>
    concat([u16(20, 0, method, 0, 0), u32(crc, data.length, claimed), u16(nameLength, 0)]);
  for (const entry of entries) {
    if (places.has(entry.data)) continue;
    places.set(entry.data, at);
    push(concat([u32(0x04034b50), facts(entry, 0), entry.data]));
  }
  const start = at;
  for (const entry of entries) {
    const name = bytesOfText(entry.name);
    const record = [u32(0x02014b50), u16(20), facts(entry, name.length), u16(0, 0, 0), u32(0)];
    push(concat([...record, u32(places.get(entry.data)!), name]));
  }
  const count = entries.length;
  push(concat([u32(0x06054b50), u16(0, 0, count, count), u32(at - start, start), u16(0)]));
  return concat(parts);
}

const deflated = (content: Uint8Array): Omit<Entry, 'name'> => ({
  data: deflateSync(content, { level: 9 }),
  size: content.length,
  crc: crc32(content),
});

/** Returns a regular zip of the members. */
export const zipMembers = (members: readonly [name: string, content: Uint8Array][]): Uint8Array =>
  overlappingZip(members.map(([name, content]) => ({ ...deflated(content), name })));

/** Returns text that compresses well without exceeding the ratio limit for decompression bombs. */
const repetitive = (bytes: number): Uint8Array => {
  const line = Array.from({ length: 400 }, (_, at) => `${(at * 7_919) % 1_000} words and `).join('');
  return bytesOfText(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes));
};

const MIB = 1024 * 1024;

/** Returns a zip with many names for one compressed member. */
export function overlappingMembers(count: number, bytes: number, extension = 'txt'): Uint8Array {
  const member = deflated(repetitive(bytes));
  return overlappingZip(
    Array.from({ length: count }, (_, at) => ({ ...member, name: `${at}.${extension}` })),
  );
}

/** Returns nested zips with `width` copies at each level. */
export function nestedZips(
  depth: number,
  width: number,
  innermost = bytesOfText('the innermost text'),
): Uint8Array {
  let bytes = innermost;
  for (let level = 0; level < depth; level++) {
    const extension = level === 0 ? 'txt' : 'zip';
    const member = deflated(bytes);
    bytes = overlappingZip(
      Array.from({ length: width }, (_, at) => ({ ...member, name: `${at}.${extension}` })),
    );
  }
  return bytes;
}

const zipped = (name: string, bytes: () => Uint8Array, file = 'hostile.zip'): HostileDocument => ({
  name,
  file,
  bytes,
});

const fewBytes = bytesOfText('a few words');

/** Zips that expand to far more than their size or declare wrong sizes. */
export const hostileArchives: readonly HostileDocument[] = [
  zipped('1,000 entries that overlap, of 8 MiB each', () => overlappingMembers(1_000, 8 * MIB)),
  zipped('1,000 entries of web pages that overlap', () => overlappingMembers(1_000, MIB, 'html')),
  zipped('20,000 entries that overlap', () => overlappingMembers(20_000, 64 * 1024)),
  zipped('10 zips in each of 10 zips in each of 10 zips', () => nestedZips(3, 10, repetitive(MIB))),
  zipped('30 zips in each of 30 zips', () => nestedZips(3, 30, repetitive(64 * 1024))),
  zipped('zips inside each other 50 levels deep', () => nestedZips(50, 1)),
  zipped('60,000 empty entries', () =>
    overlappingZip(
      Array.from({ length: 60_000 }, (_, at) => ({
        name: `${at}`,
        data: fewBytes,
        size: 11,
        crc: 0,
        method: 0,
      })),
    ),
  ),
  zipped('entries that claim to be empty and are not', () =>
    overlappingZip([{ ...deflated(repetitive(MIB)), name: 'a.txt', claimed: 0 }]),
  ),
  zipped('entries that claim 4 GiB', () =>
    overlappingZip([{ ...deflated(fewBytes), name: 'a.txt', claimed: 0xfffffffe }]),
  ),
  zipped('an entry of 60 MiB of one byte', () =>
    overlappingZip([{ ...deflated(new Uint8Array(60 * MIB).fill(32)), name: 'a.txt' }]),
  ),
  zipped('a directory that claims entries beyond its end', () => overlappingMembers(3, 1_000).slice(0, -60)),
  zipped('a directory that points at itself', () => {
    const bytes = overlappingMembers(2, 1_000);
    new DataView(bytes.buffer).setUint32(bytes.length - 6, bytes.length - 22, true);
    return bytes;
  }),
  zipped('1,000 spreadsheets of 1,000 cells', () => {
    const line = `${'1,'.repeat(9)}1\n`;
    const member = deflated(bytesOfText(line.repeat(1_000)));
    return overlappingZip(Array.from({ length: 1_000 }, (_, at) => ({ ...member, name: `${at}.csv` })));
  }),
  zipped('names of 65,535 characters', () =>
    overlappingZip(
      Array.from({ length: 100 }, (_, at) => ({
        ...deflated(fewBytes),
        name: `${at}/`.repeat(20_000).slice(0, 65_000),
      })),
    ),
  ),
  zipped(
    'gzip members one after the other',
    () => concat(new Array<Uint8Array>(20_000).fill(gzipSync(fewBytes))),
    'hostile.gz',
  ),
  zipped(
    'a book whose parts name each other',
    () =>
      zipSync({
        mimetype: bytesOfText('application/epub+zip'),
        'META-INF/container.xml': bytesOfText(
          '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
        ),
        'a.opf': bytesOfText(
          `<package><manifest>${'<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'.repeat(100)}</manifest><spine>${'<itemref idref="a"/>'.repeat(20_000)}</spine></package>`,
        ),
        'a.xhtml': bytesOfText(`<html><body>${'<p>many words</p>'.repeat(2_000)}</body></html>`),
      }),
    'hostile.epub',
  ),
  ...hostileContainers,
];
