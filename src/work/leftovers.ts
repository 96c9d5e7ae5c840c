/** A prefix in the bucket under which something may still be written, and when to look there: milliseconds since 1970. */
export interface Leftover {
  prefix: string;
  at: number[];
}

/** Comes back to what work in flight may leave behind after a deletion. */
export interface LeftoverOwner {
  clearLater(leftovers: Leftover[]): Promise<void>;
}
