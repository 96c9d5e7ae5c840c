import { create, decodeExtended, parse } from 'content-disposition';

/** `attachment` with the name in both forms where it needs them: RFC 6266 for old readers, RFC 8187 for any script. */
export function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const fallback = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  return create(name.toWellFormed(), { type, fallback });
}

/** The file name that a header gives, without any folders; undefined when it gives none. */
export function dispositionName(header: string): string | undefined {
  // Some servers leave out the type.
  const isBare = /^[^;]*=/.test(header);
  const { parameters } = parse(isBare ? `attachment; ${header}` : header, { extended: false });
  const { filename: plain, 'filename*': extended } = parameters;
  return baseName((extended && decodeExtended(extended)) || (plain && fromLatin1(plain)) || '');
}

/** Headers arrive as one character a byte; servers that send UTF-8 there mean it. */
function fromLatin1(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value;
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return value;
  }
}

/** The last part of a path of either kind of system, without control characters; undefined when empty. */
export function baseName(path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const name = (path.split(/[/\\]/).at(-1) ?? '').replace(/[\0-\x1f\x7f]/g, '').trim();
  return name === '' || name === '.' || name === '..' ? undefined : name.slice(0, 3000);
}
