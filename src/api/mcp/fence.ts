/** Marks a text as quoted from documents. */
export type Fence = (text: string) => string;

/**
 * Creates the delimiter of one answer. It is random, so that no document can contain it and continue as the
 * server.
 */
export function newFence(): Fence {
  const mark = crypto.randomUUID().slice(0, 13);
  return (text) => `<document-text ${mark}>\n${text}\n</document-text ${mark}>`;
}
