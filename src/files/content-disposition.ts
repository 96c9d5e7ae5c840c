/** `attachment` with the name in both forms: RFC 6266 for old readers, RFC 8187 (5987) for any script. */
export function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${exact}`;
}

const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/g;

/** The file name that a header gives, without any folders; undefined when it gives none. */
export function dispositionName(header: string): string | undefined {
  const values = new Map<string, string>();
  for (const [, name, quoted, token] of `;${header.replace(/^[^;=]*(?=;|$)/, '')}`.matchAll(PARAMETER)) {
    const value = quoted === undefined ? token! : quoted.replace(/\\(.)/g, '$1');
    const known = name!.toLowerCase();
    if (!values.has(known)) values.set(known, value);
  }
  const extended = values.get('filename*');
  const plain = values.get('filename');
  return baseName((extended && decodeExtended(extended)) || (plain && fromLatin1(plain)) || '');
}

/** `UTF-8'en'na%C3%AFve.txt`; undefined when it is not well formed. */
function decodeExtended(value: string): string | undefined {
  const match = /^([\w-]+)'[^']*'(.*)$/.exec(value);
  if (!match) return undefined;
  try {
    const bytes = match[2]!.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    const decoder = new TextDecoder(match[1], { fatal: true, ignoreBOM: false });
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
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
