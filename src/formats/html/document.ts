import type { DocumentMetadata } from '#src/documents/document.ts';
import { definedOnly, isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';

/**
 * Decodes a data URI (base64 or percent-encoded) and returns its bytes. Returns `undefined` for all other
 * addresses.
 */
export function dataUri(source: string): Uint8Array | undefined {
  const match = /^data:([^,]*),/i.exec(source);
  if (!match) return undefined;
  const body = source.slice(match[0].length);
  try {
    const binary = /;base64/i.test(match[1]!) ? atob(body.replace(/\s/g, '')) : decodeURIComponent(body);
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns the character set that the HTML head or XML declaration names, or `undefined` if none is named. */
export function htmlCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('windows-1252').decode(bytes.subarray(0, 4096));
  return (
    /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w.:-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1]
  );
}

export function htmlMetadata(root: XmlElement): DocumentMetadata {
  const metadata: DocumentMetadata = {};
  const html = child(root, 'html') ?? root;
  const head = descendants(root, 'head')[0] ?? html;
  const title = getTextContent(elements(head, 'title')[0] ?? descendants(root, 'title')[0])
    .replace(/\s+/g, ' ')
    .trim();
  const named = new Map<string, string>();
  for (const { attributes } of descendants(head, 'meta')) {
    const key = (attributes.name ?? attributes.property ?? '').toLowerCase();
    if (key && attributes.content && !named.has(key)) named.set(key, attributes.content.trim());
  }
  const pick = (...keys: string[]) => keys.map((key) => named.get(key)).find(Boolean);
  metadata.title = title || pick('og:title', 'dc.title');
  metadata.author = pick('author', 'article:author', 'dc.creator');
  metadata.createdAt = isoDate(pick('article:published_time', 'date', 'dc.date', 'dcterms.created'));
  metadata.modifiedAt = isoDate(pick('article:modified_time', 'last-modified', 'dcterms.modified'));
  metadata.description = pick('description', 'og:description');
  const language = html.attributes.lang ?? html.attributes['xml:lang'] ?? pick('language', 'dc.language');
  metadata.language = languageCode(language);
  return definedOnly(metadata);
}
