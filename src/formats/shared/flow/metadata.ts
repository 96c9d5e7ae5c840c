import type { DocumentMetadata } from '#src/documents/document.ts';

/** A date in any usual spelling as ISO 8601, or undefined when it is not one. */
export function isoDate(value: string | undefined): string | undefined {
  if (!value) return undefined;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A language tag's ISO 639-1 part. */
export function languageCode(tag: string | undefined): string | undefined {
  return /^([a-z]{2})(?:[-_]|$)/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase();
}

/** Without the fields that are not known. */
export function definedOnly(metadata: DocumentMetadata): DocumentMetadata {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== undefined && value !== ''),
  );
}
