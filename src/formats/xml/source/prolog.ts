/**
 * Maximum length in characters of a declared entity that is replaced by its value. Longer values stay as
 * references.
 */
const MAX_VALUE = 1_000;

export interface Prolog {
  /** The XML text without its document type declaration. */
  body: string;
  /** Values of the entities that the document declares as plain text, by name. */
  entities: ReadonlyMap<string, string>;
}

/**
 * Returns the position after a document type declaration that starts at `start`. Quotes, comments and the
 * brackets around the internal subset are skipped. Returns the length of the source if the declaration has no
 * end.
 */
function findEnd(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const character = source[at]!;
    if (character === '"' || character === "'") {
      const close = source.indexOf(character, at + 1);
      if (close < 0) return source.length;
      at = close;
    } else if (character === '<' && source.startsWith('<!--', at)) {
      const close = source.indexOf('-->', at + 4);
      if (close < 0) return source.length;
      at = close + 2;
    } else if (character === '<' && source.startsWith('<?', at)) {
      const close = source.indexOf('?>', at + 2);
      if (close < 0) return source.length;
      at = close + 1;
    } else if (character === '[') depth++;
    else if (character === ']') depth--;
    else if (character === '>' && depth <= 0) return at + 1;
  }
  return source.length;
}

/**
 * Reads the entities that a document type declares as short plain text. Entities with markup or with references
 * to other entities, and entities in other files, are left out, so that no expansion can multiply.
 */
function readEntities(declaration: string): Map<string, string> {
  const entities = new Map<string, string>();
  const pattern = /<!ENTITY\s+([\w.:-]{1,100})\s+(?:"([^"]*)"|'([^']*)')\s*>/g;
  for (const [, name = '', double, single] of declaration.matchAll(pattern)) {
    const value = double ?? single ?? '';
    if (value.length > MAX_VALUE || value.includes('<') || /&(?!#)/.test(value)) continue;
    if (!entities.has(name)) entities.set(name, value);
  }
  return entities;
}

/** Takes the document type declaration out of an XML text. External entities are never loaded. */
export function splitProlog(source: string): Prolog {
  const start = source.indexOf('<!DOCTYPE');
  const firstElement = source.search(/<[A-Za-z_]/);
  if (start < 0 || (firstElement >= 0 && firstElement < start)) return { body: source, entities: new Map() };
  const end = findEnd(source, start + '<!DOCTYPE'.length);
  return {
    body: source.slice(0, start) + source.slice(end),
    entities: readEntities(source.slice(start, end)),
  };
}
