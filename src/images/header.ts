import type { EncodedImage } from '#src/documents/document.ts';

export type ImageHeader = Omit<EncodedImage, 'bytes'>;

/** Header data of a picture as stored in the file, before the orientation is applied. */
interface Header extends Pick<ImageHeader, 'mimeType' | 'width' | 'height'> {
  orientation?: number | undefined;
}

const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Maximum number of segments or chunks that are searched for header data. A camera writes a few dozen. */
const MAX_SEGMENTS = 2_000;
const ORIENTATION_TAG = 0x0112;

/**
 * Reads the orientation from EXIF data that start at the byte offset `at`. Returns `undefined` if the data
 * contain no orientation.
 */
function readExifOrientation(view: DataView, at: number): number | undefined {
  if (at + 14 > view.byteLength) return undefined;
  const little = view.getUint16(at) === 0x4949;
  const directory = at + view.getUint32(at + 4, little);
  const count = view.getUint16(directory, little);
  for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
    if (view.getUint16(entry, little) === ORIENTATION_TAG) return view.getUint16(entry + 8, little);
  }
  return undefined;
}

/**
 * Reads the orientation of a picture. Returns `undefined` if the EXIF data are damaged, because the picture
 * can still be used.
 */
function readOrientation(view: DataView, at: number): number | undefined {
  try {
    return readExifOrientation(view, at);
  } catch {
    return undefined;
  }
}

export interface JpegFrame {
  /** Stored width in pixels, before the orientation is applied. */
  width: number;
  height: number;
  channels: number;
  /**
   * True if the rows are stored in one pass. Progressive JPEGs store several passes over the whole picture.
   */
  isSequential: boolean;
  orientation: number | undefined;
}

/**
 * Reads the frame header of a JPEG. Returns `undefined` if there is none. Throws RangeError if the file is
 * cut short.
 */
export function readJpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  let orientation: number | undefined;
  for (let segments = 0; at + 9 < bytes.length && segments < MAX_SEGMENTS; segments++) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return {
        height: view.getUint16(at + 5),
        width: view.getUint16(at + 7),
        channels: bytes[at + 9] ?? 0,
        isSequential: marker <= 0xc1,
        orientation,
      };
    }
    if (marker === 0xe1 && ascii(bytes, at + 4, at + 10) === 'Exif\0\0') {
      orientation ??= readOrientation(view, at + 10);
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function readJpegHeader(bytes: Uint8Array): Header | undefined {
  const frame = readJpegFrame(bytes);
  if (!frame) return undefined;
  const { width, height, orientation } = frame;
  return { mimeType: 'image/jpeg', width, height, orientation };
}

/** Reads the size and the orientation of a PNG. EXIF data may be in a chunk before the pixels. */
function readPngHeader(bytes: Uint8Array, view: DataView): Header {
  const size: Header = { mimeType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
  let at = 33;
  for (let chunks = 0; at + 12 <= bytes.length && chunks < MAX_SEGMENTS; chunks++) {
    const name = ascii(bytes, at + 4, at + 8);
    if (name === 'eXIf') return { ...size, orientation: readOrientation(view, at + 8) };
    if (name === 'IDAT') break;
    at += 12 + view.getUint32(at);
  }
  return size;
}

/** Reads the orientation of a WebP picture from its EXIF chunk, which follows the pixels. */
function readWebpOrientation(bytes: Uint8Array, view: DataView): number | undefined {
  let at = 12;
  for (let chunks = 0; at + 8 <= bytes.length && chunks < MAX_SEGMENTS; chunks++) {
    const size = view.getUint32(at + 4, true);
    if (ascii(bytes, at, at + 4) === 'EXIF') {
      // Some programs begin the EXIF chunk with the marker "Exif", which is only required in JPEG files.
      const marked = ascii(bytes, at + 8, at + 14) === 'Exif\0\0';
      return readOrientation(view, at + (marked ? 14 : 8));
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

function readWebpHeader(bytes: Uint8Array, view: DataView): Header | undefined {
  const mimeType = 'image/webp';
  const form = ascii(bytes, 12, 16);
  if (form === 'VP8X') {
    const at = (offset: number) => view.getUint16(offset, true) + (bytes[offset + 2]! << 16) + 1;
    return { mimeType, width: at(24), height: at(27), orientation: readWebpOrientation(bytes, view) };
  }
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { mimeType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (form === 'VP8 ') {
    return {
      mimeType,
      width: view.getUint16(26, true) & 0x3fff,
      height: view.getUint16(28, true) & 0x3fff,
    };
  }
  return undefined;
}

function parseHeader(bytes: Uint8Array): Header | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 10) return undefined;
  if (view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) {
    return readPngHeader(bytes, view);
  }
  if (view.getUint16(0) === 0xffd8) return readJpegHeader(bytes);
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) {
    return { mimeType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return readWebpHeader(bytes, view);
  return undefined;
}

/**
 * Reads type, size and orientation of a PNG, JPEG, GIF or WebP picture. Returns `undefined` for other or
 * damaged files.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  try {
    const header = parseHeader(bytes);
    if (!header || header.width <= 0 || header.height <= 0) return undefined;
    const { mimeType, width, height, orientation = 1 } = header;
    if (orientation < 2 || orientation > 8) return { mimeType, width, height };
    const isRotated = orientation >= 5;
    return {
      mimeType,
      width: isRotated ? height : width,
      height: isRotated ? width : height,
      orientation,
    };
  } catch {
    return undefined;
  }
}
