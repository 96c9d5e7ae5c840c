import type { EncodedImage } from '../document.ts';

type Header = Pick<EncodedImage, 'mimeType' | 'width' | 'height'>;

const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

function jpegSize(bytes: Uint8Array, view: DataView): Header | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { mimeType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Uint8Array, view: DataView): Header | undefined {
  const mimeType = 'image/webp';
  const form = ascii(bytes, 12, 16);
  if (form === 'VP8X') {
    const at = (offset: number) => view.getUint16(offset, true) + (bytes[offset + 2]! << 16) + 1;
    return { mimeType, width: at(24), height: at(27) };
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

function sizeOf(bytes: Uint8Array): Header | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 10) return undefined;
  if (view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) {
    return { mimeType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (view.getUint16(0) === 0xffd8) return jpegSize(bytes, view);
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) {
    return { mimeType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return webpSize(bytes, view);
  return undefined;
}

/** Type and pixels of a PNG, JPEG, GIF or WebP, from its header; undefined for anything else. */
export function imageHeader(bytes: Uint8Array): Header | undefined {
  try {
    const header = sizeOf(bytes);
    return header && header.width > 0 && header.height > 0 ? header : undefined;
  } catch {
    return undefined;
  }
}
