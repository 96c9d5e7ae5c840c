import type { Context } from '#src/context/context.ts';

/** Expired data of one kind in a project: everything last changed before `before`. */
export interface Expired {
  projectId: string;
  before: Date;
  /** End of the previous step, in the kind's own format. */
  cursor: string | undefined;
}

export interface Step {
  removed: number;
  /** Undefined if nothing is left for now. */
  next: string | undefined;
}

/** Deletes a limited part. May be repeated and interrupted. */
export type Expiry = (ctx: Context, expired: Expired) => Promise<Step>;

/**
 * Returns the step of a kind that finds its rows anew each time. More may follow as long as a step is full.
 */
export const stepOf = (removed: number, most: number): Step => ({
  removed,
  next: removed >= most ? 'again' : undefined,
});
