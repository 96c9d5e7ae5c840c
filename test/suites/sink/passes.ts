import type { Metadata } from '#src/ports/index-types.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';

/** Returns whether metadata passes a pre-filter. Stores may pass more documents, but never fewer. */
export function passes(metadata: Metadata, preFilter: PreFilter): boolean {
  if ('all' in preFilter) return preFilter.all.every((part) => passes(metadata, part));
  if ('any' in preFilter) return preFilter.any.some((part) => passes(metadata, part));
  const value = Object.hasOwn(metadata, preFilter.key) ? metadata[preFilter.key] : undefined;
  const values: (string | number | boolean | null | undefined)[] = Array.isArray(value) ? value : [value];
  if ('oneOf' in preFilter) {
    return preFilter.oneOf.some((item) => values.includes(item));
  }
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = preFilter;
  return values.some((each) => typeof each === 'number' && each >= least && each <= most);
}
