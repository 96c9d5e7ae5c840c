import type { WorkItem } from './sync-owner.ts';

/**
 * Creates the sync item that indexes a file. `bytes` is the size of the file, or null if the size is unknown.
 */
export const fileItem = (fileId: string, bytes: number | null = null): WorkItem => ({
  id: `file:${fileId}`,
  kind: 'file',
  fileId,
  ...(bytes !== null && { bytes }),
});

/**
 * Creates the sync item that indexes a text document. `bytes` is the size of the text, or null if the size is
 * unknown.
 */
export const documentItem = (documentId: string, bytes: number | null = null): WorkItem => ({
  id: `document:${documentId}`,
  kind: 'document',
  documentId,
  ...(bytes !== null && { bytes }),
});

/**
 * Maximum number of sync items added at once that are processed before other work. More items are treated as
 * a bulk import.
 */
const MAX_INTERACTIVE_ITEMS = 20;

/**
 * Returns the sync items in the field `first`, so that they are processed before all waiting work. Returns an
 * empty object if there are more than MAX_INTERACTIVE_ITEMS.
 */
export const prioritizeItems = (items: WorkItem[]): { first?: WorkItem[] } =>
  items.length <= MAX_INTERACTIVE_ITEMS ? { first: items } : {};
