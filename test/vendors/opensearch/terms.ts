import type { Source } from './mapping.ts';

interface Counts {
  terms: Map<string, number>;
  length: number;
}

const counted = new WeakMap<Source, Map<string, Counts>>();

/** Returns the terms of a field that is split at spaces, or `undefined` if the document has none. */
export function countTerms(source: Source, name: string): Counts | undefined {
  const known = counted.get(source) ?? new Map<string, Counts>();
  counted.set(source, known);
  let counts = known.get(name);
  if (!counts) {
    const terms = new Map<string, number>();
    const words = String(source[name] ?? '').split(/\s+/u);
    const present = words.filter((word) => word !== '');
    for (const word of present) terms.set(word, (terms.get(word) ?? 0) + 1);
    counts = { terms, length: present.length };
    known.set(name, counts);
  }
  return counts.length > 0 ? counts : undefined;
}
