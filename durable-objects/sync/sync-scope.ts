import type { Scope, StartRequest } from '#src/work/sync-owner.ts';

/** A change inside the pipeline is no reason to read its sources. */
export function scopeOf({ reason, sources, fileIds }: StartRequest): Scope {
  return { sources: sources ?? (reason === 'change' ? [] : 'all'), fileIds: fileIds ?? null };
}

/** What covers both. */
export function together(one: Scope | null, other: Scope): Scope {
  if (!one) return other;
  const isAll = one.sources === 'all' || other.sources === 'all';
  return {
    sources: isAll ? 'all' : [...new Set([...one.sources, ...other.sources])],
    fileIds: one.fileIds && other.fileIds ? [...new Set([...one.fileIds, ...other.fileIds])] : null,
  };
}
