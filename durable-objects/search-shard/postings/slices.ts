/**
 * Maximum number of ids in one JSON parameter of an SQL statement. With ids of usual length, the parameter
 * stays below Cloudflare's limit of 2 MB.
 */
export const MAX_IDS_PER_VALUE = 10_000;

export function toSlices<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
