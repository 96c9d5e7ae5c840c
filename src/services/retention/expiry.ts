import type { Context } from '#src/context/context.ts';

export interface ExpiredData {
  projectId: string;
  before: Date;
  /** Cursor that the previous step returned. Each kind of data has its own format. */
  cursor: string | undefined;
}

export interface Step {
  removed: number;
  /** Cursor at which the next step continues. Undefined if no expired data is left. */
  next: string | undefined;
}

/** Deletes a limited amount of expired data of one kind. A step may be interrupted or repeated. */
export type Expiry = (ctx: Context, expired: ExpiredData) => Promise<Step>;

/**
 * Returns the result of a step that needs no cursor, because each step selects the remaining rows. If the
 * step reached its limit, another one follows.
 */
export const createStep = (removed: number, most: number): Step => ({
  removed,
  next: removed >= most ? 'again' : undefined,
});
