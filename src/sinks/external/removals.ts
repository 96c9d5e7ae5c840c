import type { Removal } from '#src/ports/shard.ts';

/** The documents that each version is removed from, for stores that take one bound for many documents. */
export function byVersion(removals: Removal[]): Map<number, string[]> {
  const grouped = new Map<number, string[]>();
  for (const { documentId, version } of removals) {
    const documentIds = grouped.get(version);
    if (documentIds) documentIds.push(documentId);
    else grouped.set(version, [documentId]);
  }
  return grouped;
}
