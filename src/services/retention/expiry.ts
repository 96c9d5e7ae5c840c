import type { Context } from '#src/context/context.ts';

/** What of a project has expired: of one kind, and everything that was last touched before then. */
export interface Expired {
  projectId: string;
  before: Date;
  /** Where the step before ended, in the words of the kind. */
  cursor: string | undefined;
}

export interface Step {
  removed: number;
  /** Undefined: nothing is left for now. */
  next: string | undefined;
}

/** Removes a bounded part. May be repeated and interrupted: what is gone is not found again. */
export type Expiry = (ctx: Context, expired: Expired) => Promise<Step>;

/** Of a kind whose rows are found anew at each step: there is more as long as a step is full. */
export const stepOf = (removed: number, most: number): Step => ({
  removed,
  next: removed >= most ? 'again' : undefined,
});
