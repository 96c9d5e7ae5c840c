import type { Scope, StartRequest } from '#src/work/sync-owner.ts';

/**
 * Returns the data sources and files that a sync request covers. A run caused by a change inside the pipeline
 * reads no data sources unless the request names some.
 */
export function buildScope({ reason, sources, fileIds }: StartRequest): Scope {
  return { sources: sources ?? (reason === 'change' ? [] : 'all'), fileIds: fileIds ?? null };
}

/** Combines two scopes into one that covers the data sources and files of both. */
export function mergeScopes(one: Scope | null, other: Scope): Scope {
  if (!one) return other;
  const isAll = one.sources === 'all' || other.sources === 'all';
  return {
    sources: isAll ? 'all' : [...new Set([...one.sources, ...other.sources])],
    fileIds: one.fileIds && other.fileIds ? [...new Set([...one.fileIds, ...other.fileIds])] : null,
  };
}
