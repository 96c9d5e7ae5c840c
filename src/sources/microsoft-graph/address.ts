import { SourceError } from '#src/ports/source.ts';

/** A text as one segment of a path; `what` names it where it cannot be one, as dots lead to another address. */
export function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new SourceError(`${what} cannot be "${text}".`, { retryable: false });
  }
  return encodeURIComponent(text.toWellFormed());
}

/** The parts of a path that people wrote, with or without slashes around it. */
export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

export const itemAddress = (driveId: string, itemId: string): string =>
  `/drives/${segment(driveId, 'The id of a drive')}/items/${segment(itemId, 'The id of an item')}`;

/** A path without its escapes, unless what looks like one is part of a name. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
