import type { WorkItem } from './sync-owner.ts';

/** Creates the item that indexes a file. `bytes` is the size of the input, or null if it is unknown. */
export const fileItem = (fileId: string, bytes: number | null = null): WorkItem => ({
  id: `file:${fileId}`,
  kind: 'file',
  fileId,
  ...(bytes !== null && { bytes }),
});

/**
 * Creates the item that indexes a document which was inserted as text. `bytes` is the size of the input, or
 * null if it is unknown.
 */
export const documentItem = (documentId: string, bytes: number | null = null): WorkItem => ({
  id: `document:${documentId}`,
  kind: 'document',
  documentId,
  ...(bytes !== null && { bytes }),
});

/**
 * Maximum number of items added at once that are treated as interactive. More items are treated as a bulk
 * import.
 */
const MAX_INTERACTIVE_ITEMS = 20;

/**
 * Returns the items as `first`, so that they are processed before all waiting work, because a user has just
 * added them. Returns an empty object if there are too many items to be interactive.
 */
export const prioritizeItems = (items: WorkItem[]): { first?: WorkItem[] } =>
  items.length <= MAX_INTERACTIVE_ITEMS ? { first: items } : {};
