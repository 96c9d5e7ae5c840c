/**
 * Bucket prefix whose objects must be deleted, and the times at which to do so, in milliseconds since 1970.
 * Until then, running work may still write objects there.
 */
export interface Leftover {
  prefix: string;
  at: number[];
}

/**
 * Deletes the objects below bucket prefixes later. Running work may still write objects of something that has
 * just been deleted.
 */
export interface LeftoverOwner {
  clearLater(leftovers: Leftover[]): Promise<void>;
}
