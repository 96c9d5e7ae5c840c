import { Inflate } from 'fflate';
import { ParseError } from '#src/documents/errors.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';

/**
 * One page of a TIFF file. Its tags have the form that the decoder expects and were checked against the file
 * size.
 */
export interface TiffDirectory {
  width: number;
  height: number;
  tags: Record<string, number[]>;
}

/**
 * Numbers of the TIFF tags that describe pixels. Other tags, such as camera data and color profiles, are
 * skipped.
 */
const READ_TAGS = new Set([
  254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 282, 284, 292, 296, 317, 320, 322, 323, 324,
  325, 338, 339, 347,
]);
const VALUE_SIZES: Record<number, number> = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1 };
const DEFLATE = [8, 32946];
const COMPRESSIONS = [1, 2, 3, 4, 5, 7, 32773, ...DEFLATE];
const MAX_VALUES = 200_000;
/**
 * Maximum number of pixels of a page, which is A0 paper at 230 dots per inch. Larger pages are not decoded.
 */
export const MAX_PAGE_PIXELS = 80_000_000;
const MAX_DIRECTORIES = 2_000;
/**
 * Maximum number of pixels of all pages, in addition to MAX_PIXELS_PER_BYTE pixels for each byte of the file.
 * Blank fax pages have 6,000 pixels per byte.
 */
const MAX_PIXELS = 500_000_000;
const MAX_PIXELS_PER_BYTE = 6_000;

function readValues(
  view: DataView,
  at: number,
  type: number,
  count: number,
  little: boolean,
): number[] | undefined {
  const size = VALUE_SIZES[type];
  if (size === undefined || count > MAX_VALUES) return undefined;
  let from = count * size <= 4 ? at : view.getUint32(at, little);
  if (from + count * size > view.byteLength) return undefined;
  return Array.from({ length: count }, () => {
    const here = from;
    from += size;
    if (size === 1) return view.getUint8(here);
    if (size === 2) return view.getUint16(here, little);
    if (size === 4) return view.getUint32(here, little);
    return view.getUint32(here, little) / (view.getUint32(here + 4, little) || 1);
  });
}

/**
 * Reads the pages of a TIFF file in order, without thumbnails. Throws RangeError if the file is truncated.
 * Throws ParseError if the file has too many directories or claims far more pixels than its bytes can hold.
 */
export function readTiffDirectories(bytes: Uint8Array, budget: WorkBudget): TiffDirectory[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = view.getUint8(0) === 0x49;
  const pages: TiffDirectory[] = [];
  const seen = new Set<number>();
  let at = view.getUint32(4, little);
  let pixels = 0;
  while (at !== 0 && !seen.has(at)) {
    if (seen.size === MAX_DIRECTORIES) {
      throw new ParseError('TOO_MANY_PAGES', `The picture has more than ${MAX_DIRECTORIES} directories.`);
    }
    seen.add(at);
    const count = view.getUint16(at, little);
    budget.spend('tagValue', count);
    const tags: Record<string, number[]> = {};
    for (let index = 0; index < count; index++) {
      const entry = at + 2 + index * 12;
      const id = view.getUint16(entry, little);
      if (!READ_TAGS.has(id)) continue;
      const type = view.getUint16(entry + 2, little);
      const length = view.getUint32(entry + 4, little);
      budget.spend('tagValue', Math.min(length, MAX_VALUES));
      const values = readValues(view, entry + 8, type, length, little);
      if (values && values.length > 0) tags[`t${id}`] = values;
    }
    const width = tags.t256?.[0] ?? 0;
    const height = tags.t257?.[0] ?? 0;
    const isThumbnail = ((tags.t254?.[0] ?? 0) & 1) === 1;
    if (width > 0 && height > 0 && !isThumbnail) {
      pixels += Math.min(width * height, MAX_PAGE_PIXELS);
      pages.push({ width, height, tags });
    }
    at = view.getUint32(at + 2 + count * 12, little);
  }
  if (pixels > MAX_PIXELS + MAX_PIXELS_PER_BYTE * bytes.length) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The ${pages.length} pages of the picture have ${pixels} pixels, far more than its ${bytes.length} bytes can hold.`,
    );
  }
  return pages;
}

/**
 * Returns the reason why the decoder cannot read a TIFF page, or `undefined` if the page is readable.
 * `maxBytes` limits the size of the decoded pixels in bytes.
 */
export function findTiffFault(
  { tags, width, height }: TiffDirectory,
  fileSize: number,
  maxBytes: number,
): string | undefined {
  const bits = tags.t258?.[0] ?? 1;
  const samples = tags.t277?.[0] ?? 1;
  const compression = tags.t259?.[0] ?? 1;
  const offsets = tags.t322 ? tags.t324 : tags.t273;
  const counts = tags.t322 ? tags.t325 : tags.t279;
  if (![1, 2, 4, 8, 16, 32].includes(bits) || samples > 5)
    return `it has ${samples} samples of ${bits} bits per pixel, which is not supported`;
  if (!COMPRESSIONS.includes(compression)) return `it uses the unsupported compression ${compression}`;
  const [across = width, down = height] = [tags.t322?.[0], tags.t323?.[0]];
  const tiles = Math.ceil(width / across) * Math.ceil(height / down);
  const tileBytes = (across * down * bits * samples) / 8;
  if (tiles * tileBytes > maxBytes) return 'it is too large';
  if (!offsets || (!counts && compression !== 1)) return 'its pixels are missing';
  if (offsets.length > height * Math.max(1, tiles) || (tags.t322 && offsets.length < tiles))
    return 'its strips do not match its size';
  const isInside = offsets.every((offset, index) => offset + (counts?.[index] ?? 0) <= fileSize);
  return isInside ? undefined : 'its pixels lie outside the file';
}

/** Decompresses a strip or tile of a picture to at most `limit` bytes. */
function inflate(compressed: Uint8Array, limit: number): Uint8Array {
  const output = new Uint8Array(limit);
  let length = 0;
  const stream = new Inflate((chunk) => {
    output.set(chunk.subarray(0, limit - length), length);
    length += Math.min(chunk.length, limit - length);
  });
  // Skip the two bytes of zlib header and the four bytes of checksum at the end.
  const body = compressed.subarray(2, compressed.length - 4);
  for (let at = 0; at < body.length && length < limit; at += 4096) {
    stream.push(body.subarray(at, at + 4096), at + 4096 >= body.length);
  }
  return output;
}

/**
 * Converts a page with deflate compression to an uncompressed page, because the decoder would decompress it
 * without a size limit.
 */
export function inflatePage(
  bytes: Uint8Array,
  page: TiffDirectory,
): { bytes: Uint8Array; page: TiffDirectory } {
  const { tags, width, height } = page;
  if (!DEFLATE.includes(tags.t259?.[0] ?? 1)) return { bytes, page };
  const [offsetTag, countTag] = tags.t322 ? (['t324', 't325'] as const) : (['t273', 't279'] as const);
  const perRow = Math.ceil(((tags.t322?.[0] ?? width) * (tags.t258?.[0] ?? 1) * (tags.t277?.[0] ?? 1)) / 8);
  const rows = tags.t323?.[0] ?? Math.min(height, tags.t278?.[0] ?? height);
  const strips = (tags[offsetTag] ?? []).map((offset, index) =>
    inflate(bytes.subarray(offset, offset + (tags[countTag]?.[index] ?? 0)), perRow * rows),
  );
  // The first bytes of the file are kept, because the decoder reads the byte order from them.
  const unpacked = new Uint8Array(8 + strips.length * perRow * rows);
  unpacked.set(bytes.subarray(0, 8));
  strips.forEach((strip, index) => {
    unpacked.set(strip, 8 + index * perRow * rows);
  });
  const placed = {
    [offsetTag]: strips.map((_, index) => 8 + index * perRow * rows),
    [countTag]: strips.map(() => perRow * rows),
    t259: [1],
  };
  return { bytes: unpacked, page: { ...page, tags: { ...tags, ...placed } } };
}
