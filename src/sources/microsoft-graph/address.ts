import { SourceError } from '#src/ports/source.ts';

/**
 * Encodes a text as one path segment. Throws if it is empty or consists of dots, which would lead to another
 * address. `what` names the value in the error.
 */
export function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new SourceError(`${what} cannot be "${text}".`, { retryable: false });
  }
  return encodeURIComponent(text.toWellFormed());
}

/** Splits a path into its parts and ignores surrounding slashes. */
export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

export const itemAddress = (driveId: string, itemId: string): string =>
  `/drives/${segment(driveId, 'The id of a drive')}/items/${segment(itemId, 'The id of an item')}`;

/** Decodes a percent-encoded path. Returns the path unchanged if it is not valid encoding. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
