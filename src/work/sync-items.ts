import type { WorkItem } from './sync-owner.ts';

/** The item that brings a file of the pipeline into its index; `bytes`: what is to be read for it, where that is known. */
export const fileItem = (fileId: string, bytes: number | null = null): WorkItem => ({
  id: `file:${fileId}`,
  kind: 'file',
  fileId,
  ...(bytes !== null && { bytes }),
});

/** As `fileItem`, of a document that came as text. */
export const documentItem = (documentId: string, bytes: number | null = null): WorkItem => ({
  id: `document:${documentId}`,
  kind: 'document',
  documentId,
  ...(bytes !== null && { bytes }),
});

/** So many that are put in at once are what somebody waits for; more of them are a bulk of their own. */
const MOST_FIRST = 20;

/** What is done before all that waits, because somebody has just put it in. */
export const firstOf = (items: WorkItem[]): { first?: WorkItem[] } =>
  items.length <= MOST_FIRST ? { first: items } : {};
