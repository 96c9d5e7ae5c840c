/** So many ids of any usual length, as JSON, stay below the platform's 2 MB a value. */
export const IDS_IN_ONE_VALUE = 10_000;

export function slices<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
