import { parseMarkup } from '#src/text-formats/xml.ts';
import { ISO_ENTITIES } from './iso-entities.ts';

/** The five names that the XML parser decodes by itself. */
const PREDEFINED = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
const REFERENCE = /&([A-Za-z][\w.-]{1,60});/g;
const CDATA = '<![CDATA[';
/**
 * Maximum number of characters that declared entities may add to a text. References beyond this limit stay as
 * they are.
 */
const MAX_ADDED_CHARACTERS = 4 * 1024 * 1024;

/** Returns the character that HTML or ISO knows by a name, or `undefined` if the name is unknown. */
function decodeName(name: string): string | undefined {
  const iso = ISO_ENTITIES.get(name);
  if (iso !== undefined) return iso;
  const [text] = parseMarkup(`&${name};`, { html: true }).children;
  // HTML also decodes names at the start of longer names, which leaves the rest of the name and the semicolon.
  return typeof text === 'string' && !text.startsWith('&') && !text.endsWith(';') ? text : undefined;
}

const escapeMarkup = (text: string) => text.replace(/&(?!#)/g, '&#38;').replace(/</g, '&#60;');

/**
 * Replaces references to characters by name, such as `&alpha;`, and to entities that the document declares as
 * plain text. The names of XML itself, unknown names and CDATA sections stay as they are.
 */
export function decodeEntities(source: string, declared: ReadonlyMap<string, string>): string {
  if (!/&[A-Za-z]/.test(source)) return source;
  const known = new Map<string, string | undefined>();
  let added = 0;
  const replace = (text: string) =>
    text.replace(REFERENCE, (reference: string, name: string) => {
      if (PREDEFINED.has(name)) return reference;
      if (!known.has(name)) {
        const value = declared.get(name) ?? decodeName(name);
        known.set(name, value === undefined ? undefined : escapeMarkup(value));
      }
      const value = known.get(name);
      if (value === undefined || added + value.length > MAX_ADDED_CHARACTERS) return reference;
      added += value.length;
      return value;
    });
  const parts: string[] = [];
  for (let at = 0; at < source.length; ) {
    const start = source.indexOf(CDATA, at);
    const close = start < 0 ? -1 : source.indexOf(']]>', start);
    const end = close < 0 ? source.length : close;
    parts.push(replace(source.slice(at, start < 0 ? source.length : start)));
    if (start >= 0) parts.push(source.slice(start, end));
    at = start < 0 ? source.length : end;
  }
  return parts.join('');
}
