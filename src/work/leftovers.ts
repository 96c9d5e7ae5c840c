/**
 * Bucket prefix under which running work may still write objects, and the times at which it is cleared, in
 * milliseconds since 1970.
 */
export interface Leftover {
  prefix: string;
  at: number[];
}

/**
 * Clears bucket prefixes later, because running work may still write objects of something that was deleted.
 */
export interface LeftoverOwner {
  clearLater(leftovers: Leftover[]): Promise<void>;
}
