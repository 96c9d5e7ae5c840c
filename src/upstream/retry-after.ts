const LONGEST_SECONDS = 24 * 3600;

/**
 * Parses a Retry-After header, which contains seconds or a date. Returns the wait in seconds, at most one
 * day. Returns `undefined` if the header is missing or invalid.
 */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.min(seconds, LONGEST_SECONDS)) : undefined;
}
