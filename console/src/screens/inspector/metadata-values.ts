/** Metadata value that filters can compare. */
export type MetadataValue = string | number | boolean | (string | number)[];

/** Row of the metadata editor. The value is the text that the user typed. */
export interface MetadataRow {
  key: string;
  text: string;
}

/**
 * Parses the typed value of a metadata key. Numbers, `true`, `false`, quoted texts and lists are read as JSON.
 * Everything else is a text.
 */
export function parseValue(text: string): MetadataValue {
  try {
    const value: unknown = JSON.parse(text);
    if (isScalar(value)) return value;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string' || typeof each === 'number')) {
      return value;
    }
  } catch {
    // The text is not JSON.
  }
  return text;
}

/** Formats a value as text that `parseValue` reads back to the same value. */
export function formatValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}

/** Returns the changes that turn `before` into the rows. Null removes a key. Rows without a key are left out. */
export function listChanges(
  before: Record<string, unknown>,
  rows: readonly MetadataRow[],
): Record<string, MetadataValue | null> {
  const after = new Map(rows.map(({ key, text }) => [key.trim(), parseValue(text)] as const));
  after.delete('');
  const removed = Object.keys(before).filter((key) => !after.has(key));
  const changed = [...after].filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value));
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed]);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
