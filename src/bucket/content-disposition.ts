import { create, decodeExtended, parse } from 'content-disposition';

/**
 * Builds a Content-Disposition header. A name with special characters is included in two forms: RFC 6266 for
 * old clients, and RFC 8187 for any script.
 */
export function buildContentDisposition(type: 'attachment' | 'inline', name: string): string {
  const fallback = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  return create(name.toWellFormed(), { type, fallback });
}

/**
 * Parses the file name from a Content-Disposition header, without folders. Returns `undefined` if there is
 * none.
 */
export function parseFileName(header: string): string | undefined {
  // Some servers omit the disposition type.
  const isBare = /^[^;]*=/.test(header);
  const { parameters } = parse(isBare ? `attachment; ${header}` : header, { extended: false });
  const { filename: plain, 'filename*': extended } = parameters;
  return getBaseName((extended && decodeExtended(extended)) || (plain && decodeLatin1(plain)) || '');
}

/**
 * Decodes a header value as UTF-8 if possible. Headers arrive with one character per byte, and many servers
 * send UTF-8 in them.
 */
function decodeLatin1(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value;
  try {
    const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return value;
  }
}

/**
 * Returns the last part of a Unix or Windows path, without control characters. Returns `undefined` if it is
 * empty.
 */
export function getBaseName(path: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const name = (path.split(/[/\\]/).at(-1) ?? '').replace(/[\0-\x1f\x7f]/g, '').trim();
  return name === '' || name === '.' || name === '..' ? undefined : name.slice(0, 3000);
}
