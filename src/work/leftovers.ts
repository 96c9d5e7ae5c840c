/**
 * A bucket prefix under which running work may still write objects, and the time to clear it in milliseconds
 * since 1970.
 */
export interface Leftover {
  prefix: string;
  at: number[];
}

/**
 * Clears bucket prefixes later, after running work may have written objects of something that was deleted.
 */
export interface LeftoverOwner {
  clearLater(leftovers: Leftover[]): Promise<void>;
}
