import type { WorkItem } from './sync-owner.ts';

/** Returns the item that indexes a file. `bytes` is the size of the input, if it is known. */
export const fileItem = (fileId: string, bytes: number | null = null): WorkItem => ({
  id: `file:${fileId}`,
  kind: 'file',
  fileId,
  ...(bytes !== null && { bytes }),
});

/**
 * Returns the item that indexes a document that was inserted as text. `bytes` is the size of the input, if it
 * is known.
 */
export const documentItem = (documentId: string, bytes: number | null = null): WorkItem => ({
  id: `document:${documentId}`,
  kind: 'document',
  documentId,
  ...(bytes !== null && { bytes }),
});

/** Maximum number of items added at once that count as interactive. More are treated as a bulk import. */
const MOST_FIRST = 20;

/**
 * Returns the items as `first`, so that they pass all waiting work, because a user has just added them.
 * Returns an empty object if there are more than `MOST_FIRST`.
 */
export const firstOf = (items: WorkItem[]): { first?: WorkItem[] } =>
  items.length <= MOST_FIRST ? { first: items } : {};
