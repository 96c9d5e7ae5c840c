const LONGEST_SECONDS = 24 * 3600;

/**
 * Returns the seconds of a Retry-After header in either form, at most one day; undefined if it is unusable.
 */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.min(seconds, LONGEST_SECONDS)) : undefined;
}
