const LONGEST_SECONDS = 24 * 3600;

/**
 * Parses a Retry-After header, which contains seconds or a date. Returns at most one day in seconds, or
 * `undefined` if the header is unusable.
 */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.min(seconds, LONGEST_SECONDS)) : undefined;
}
