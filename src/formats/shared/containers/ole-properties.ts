import type { DocumentMetadata } from '#src/documents/document.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import type { OleFile } from './ole.ts';

const STREAM = '\u0005SummaryInformation';
const CODE_PAGE = 1;
const TITLE = 2;
const AUTHOR = 4;
const CREATED = 12;
const SAVED = 13;
const TYPE_STRING = 0x1e;
const TYPE_WIDE_STRING = 0x1f;
const TYPE_TIME = 0x40;
const MAX_PROPERTIES = 100;
/** Milliseconds between the Windows epoch (1601) and the Unix epoch (1970). */
const EPOCH_MS = 11_644_473_600_000;

/**
 * Returns title, author and times of a legacy Office file. Damaged properties are ignored, because the
 * content can still be read.
 */
export function readOleMetadata(file: OleFile): DocumentMetadata {
  try {
    const stream = file.stream(STREAM);
    return stream ? readProperties(stream) : {};
  } catch {
    return {};
  }
}

function readProperties(bytes: Uint8Array): DocumentMetadata {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const section = view.getUint32(44, true);
  const places = new Map<number, number>();
  const count = Math.min(MAX_PROPERTIES, view.getUint32(section + 4, true));
  for (let index = 0; index < count; index++) {
    const at = section + 8 + index * 8;
    places.set(view.getUint32(at, true), section + view.getUint32(at + 4, true));
  }
  const pageAt = places.get(CODE_PAGE);
  const codePage = pageAt === undefined ? 1252 : view.getUint16(pageAt + 4, true);
  const text = (id: number) => {
    const at = places.get(id);
    if (at === undefined) return undefined;
    const type = view.getUint16(at, true);
    const length = view.getUint32(at + 4, true) * (type === TYPE_WIDE_STRING ? 2 : 1);
    if (type !== TYPE_STRING && type !== TYPE_WIDE_STRING) return undefined;
    const body = bytes.subarray(at + 8, at + 8 + length);
    const decoded = decodeCodePage(body, type === TYPE_WIDE_STRING ? 1200 : codePage);
    return decoded.split('\0')[0]!.trim() || undefined;
  };
  const time = (id: number) => {
    const at = places.get(id);
    if (at === undefined || view.getUint16(at, true) !== TYPE_TIME) return undefined;
    const milliseconds = Number(view.getBigUint64(at + 4, true) / 10_000n) - EPOCH_MS;
    return milliseconds > 0 ? new Date(milliseconds).toISOString() : undefined;
  };
  return { title: text(TITLE), author: text(AUTHOR), createdAt: time(CREATED), modifiedAt: time(SAVED) };
}
