import type { Removal } from '#src/ports/shard.ts';

/** Groups removals by version, for stores that delete many documents up to one version per request. */
export function groupByVersion(removals: Removal[]): Map<number, string[]> {
  const grouped = new Map<number, string[]>();
  for (const { documentId, version } of removals) {
    const documentIds = grouped.get(version);
    if (documentIds) documentIds.push(documentId);
    else grouped.set(version, [documentId]);
  }
  return grouped;
}
