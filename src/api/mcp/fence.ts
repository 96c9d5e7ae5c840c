/** Marks a text as quoted from documents. */
export type Fence = (text: string) => string;

/**
 * A fence for one answer. Its mark is drawn anew each time, so that no document can hold the line that ends it and go
 * on in the voice of the server.
 */
export function newFence(): Fence {
  const mark = crypto.randomUUID().slice(0, 13);
  return (text) => `<document-text ${mark}>\n${text}\n</document-text ${mark}>`;
}
