import type { Scope, StartRequest } from '#src/work/sync-owner.ts';

/**
 * Returns the scope that a request asks for. If a change inside the pipeline caused the run, no data source
 * is read by default.
 */
export function buildScope({ reason, sources, fileIds }: StartRequest): Scope {
  return { sources: sources ?? (reason === 'change' ? [] : 'all'), fileIds: fileIds ?? null };
}

/** Returns the scope that covers both scopes. */
export function mergeScopes(one: Scope | null, other: Scope): Scope {
  if (!one) return other;
  const isAll = one.sources === 'all' || other.sources === 'all';
  return {
    sources: isAll ? 'all' : [...new Set([...one.sources, ...other.sources])],
    fileIds: one.fileIds && other.fileIds ? [...new Set([...one.fileIds, ...other.fileIds])] : null,
  };
}
