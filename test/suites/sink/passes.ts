import type { Metadata } from '#src/ports/index-types.ts';
import type { Narrowing } from '#src/sinks/external/narrowing.ts';

/** What a narrowing means, of a document's metadata. Stores may let more pass, and never less. */
export function passes(metadata: Metadata, narrowing: Narrowing): boolean {
  if ('all' in narrowing) return narrowing.all.every((part) => passes(metadata, part));
  if ('any' in narrowing) return narrowing.any.some((part) => passes(metadata, part));
  const value = Object.hasOwn(metadata, narrowing.key) ? metadata[narrowing.key] : undefined;
  const values: (string | number | boolean | null | undefined)[] = Array.isArray(value) ? value : [value];
  if ('oneOf' in narrowing) {
    return narrowing.oneOf.some((item) => values.includes(item));
  }
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = narrowing;
  return values.some((each) => typeof each === 'number' && each >= least && each <= most);
}
