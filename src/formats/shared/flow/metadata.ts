import type { DocumentMetadata } from '#src/documents/document.ts';

/** Converts a date in any common notation to ISO 8601. Returns `undefined` if the value is not a date. */
export function isoDate(value: string | undefined): string | undefined {
  if (!value) return undefined;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/**
 * Returns the two-letter ISO 639-1 code of a language tag such as `en-US`, or `undefined` if the tag has
 * none.
 */
export function languageCode(tag: string | undefined): string | undefined {
  return /^([a-z]{2})(?:[-_]|$)/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase();
}

/** Removes fields that are undefined or empty. */
export function definedOnly(metadata: DocumentMetadata): DocumentMetadata {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== undefined && value !== ''),
  );
}
