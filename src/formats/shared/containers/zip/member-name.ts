import { crc32 } from 'node:zlib';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { DOS_LATIN, guessDosEncoding } from '#src/text-formats/legacy-encoding.ts';

const IS_UTF8 = 0x0800;
const UNICODE_PATH = 0x7075;
const DOS_PAGE = 437;
/** An extra field of a name: its version and the checksum of the name that it stands for. */
const UNICODE_PATH_HEAD = 5;

/** A member's name as the directory has it. */
export interface RawName {
  bytes: Uint8Array;
  flags: number;
  /** The extra fields that follow it. */
  extra: Uint8Array;
}

/**
 * Names as text. A member says what its name is written in by a flag, or has it a second time in Unicode; the names
 * that say nothing are read together, since a packer writes all of them in one encoding.
 */
export function memberNames(raw: readonly RawName[]): string[] {
  const said = raw.map(statedName);
  const silent = raw.filter((_, at) => said[at] === undefined).map(({ bytes }) => bytes);
  const decode = silent.some(hasHighBytes) ? decoderFor(silent) : readUtf8;
  return raw.map(({ bytes }, at) => (said[at] ?? decode(bytes) ?? '').replaceAll('\\', '/'));
}

function statedName({ bytes, flags, extra }: RawName): string | undefined {
  if (flags & IS_UTF8) return new TextDecoder().decode(bytes);
  const unicode = extraField(extra, UNICODE_PATH);
  if (!unicode || unicode.length < UNICODE_PATH_HEAD) return undefined;
  const view = new DataView(unicode.buffer, unicode.byteOffset, unicode.byteLength);
  // A tool that knows nothing of the second name may have changed the first.
  return view.getUint32(1, true) === crc32(bytes) ? readUtf8(unicode.subarray(UNICODE_PATH_HEAD)) : undefined;
}

/** The body of an extra field; undefined without one. */
export function extraField(extra: Uint8Array, id: number): Uint8Array | undefined {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) === id) return extra.subarray(at + 4, at + 4 + view.getUint16(at + 2, true));
  }
  return undefined;
}

const hasHighBytes = (bytes: Uint8Array) => bytes.some((byte) => byte >= 0x80);

function decoderFor(names: readonly Uint8Array[]): (name: Uint8Array) => string {
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
