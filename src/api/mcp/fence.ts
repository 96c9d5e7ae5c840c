/** Function that encloses a text in delimiters, which mark it as quoted from documents. */
export type Fence = (text: string) => string;

/**
 * Creates the delimiters of one answer. They are random, so that no document can contain the end delimiter
 * and pretend to be the server.
 */
export function newFence(): Fence {
  const mark = crypto.randomUUID().slice(0, 13);
  return (text) => `<document-text ${mark}>\n${text}\n</document-text ${mark}>`;
}
