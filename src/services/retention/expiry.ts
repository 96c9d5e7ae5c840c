import type { Context } from '#src/context/context.ts';

/** Selects expired data of one kind in a project. Data is expired if it was last changed before `before`. */
export interface ExpiredData {
  projectId: string;
  before: Date;
  /** Cursor that the previous step returned, in a format of the kind. */
  cursor: string | undefined;
}

export interface Step {
  removed: number;
  /** Cursor of the next step. Undefined if nothing is left for now. */
  next: string | undefined;
}

/** Deletes a limited amount of expired data. A step may be repeated or interrupted. */
export type Expiry = (ctx: Context, expired: ExpiredData) => Promise<Step>;

/**
 * Returns the result of a step that finds its rows anew each time. If the step was full, another step
 * follows.
 */
export const createStep = (removed: number, most: number): Step => ({
  removed,
  next: removed >= most ? 'again' : undefined,
});
