import { SourceError } from '#src/ports/source.ts';

/**
 * Encodes a text as one segment of a URL path. Throws if the text is empty or consists of dots, because the
 * URL would then address another resource. `what` names the value in the error.
 */
export function encodeSegment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new SourceError(`${what} must not be "${text}".`, { retryable: false });
  }
  return encodeURIComponent(text.toWellFormed());
}

export const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '');

export const getItemAddress = (driveId: string, itemId: string): string =>
  `/drives/${encodeSegment(driveId, 'The id of a drive')}/items/${encodeSegment(itemId, 'The id of an item')}`;

export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
