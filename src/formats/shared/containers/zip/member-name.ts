import { crc32 } from 'node:zlib';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { DOS_LATIN, guessDosEncoding } from '#src/text-formats/legacy-encoding.ts';

const IS_UTF8 = 0x0800;
const UNICODE_PATH = 0x7075;
const DOS_PAGE = 437;
/**
 * Length in bytes of the header of the Unicode path extra field: a version and the checksum of the name that
 * it replaces.
 */
const UNICODE_PATH_HEADER_BYTES = 5;

/** Name of a member as stored in the directory. */
export interface RawName {
  bytes: Uint8Array;
  flags: number;
  /** Extra fields of the directory entry. */
  extra: Uint8Array;
}

/**
 * Decodes the names of all members. A flag may declare a name as UTF-8, or an extra field may repeat it in
 * Unicode. The encoding of the other names is guessed from all of them together, because a packer writes them
 * in one encoding.
 */
export function decodeMemberNames(raw: readonly RawName[]): string[] {
  const declaredNames = raw.map(readDeclaredName);
  const undeclaredNames = raw.filter((_, at) => declaredNames[at] === undefined).map(({ bytes }) => bytes);
  const decode = undeclaredNames.some(hasHighBytes) ? chooseNameDecoder(undeclaredNames) : readUtf8;
  return raw.map(({ bytes }, at) => (declaredNames[at] ?? decode(bytes) ?? '').replaceAll('\\', '/'));
}

function readDeclaredName({ bytes, flags, extra }: RawName): string | undefined {
  if (flags & IS_UTF8) return new TextDecoder().decode(bytes);
  const unicode = extraField(extra, UNICODE_PATH);
  if (!unicode || unicode.length < UNICODE_PATH_HEADER_BYTES) return undefined;
  const view = new DataView(unicode.buffer, unicode.byteOffset, unicode.byteLength);
  // A tool that does not know the Unicode name may have changed only the plain name. The checksum then
  // differs.
  return view.getUint32(1, true) === crc32(bytes)
    ? readUtf8(unicode.subarray(UNICODE_PATH_HEADER_BYTES))
    : undefined;
}

/** Returns the body of an extra field, or `undefined` if there is none with this id. */
export function extraField(extra: Uint8Array, id: number): Uint8Array | undefined {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) === id) return extra.subarray(at + 4, at + 4 + view.getUint16(at + 2, true));
  }
  return undefined;
}

const hasHighBytes = (bytes: Uint8Array) => bytes.some((byte) => byte >= 0x80);

function chooseNameDecoder(names: readonly Uint8Array[]): (name: Uint8Array) => string {
  if (names.every((name) => readUtf8(name) !== undefined)) return (name) => new TextDecoder().decode(name);
  const lines = names.flatMap((name) => [...name.subarray(0, 512), 0x0a]);
  const encoding = guessDosEncoding(Uint8Array.from(lines.slice(0, 64 * 1024)));
  if (encoding === DOS_LATIN) return (name) => decodeCodePage(name, DOS_PAGE);
  return (name) => new TextDecoder(encoding).decode(name);
}

function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
