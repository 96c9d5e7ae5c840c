import type { Removal } from '#src/search/shard.ts';

/** Removals of one version in one entry, since a store's filter names one limit of versions. */
export function byVersion(removals: Removal[]): Map<number, string[]> {
  const grouped = new Map<number, string[]>();
  for (const { documentId, version } of removals) {
    grouped.set(version, [...(grouped.get(version) ?? []), documentId]);
  }
  return grouped;
}
