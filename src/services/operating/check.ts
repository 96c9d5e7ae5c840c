import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';

/** A problem that a check found. */
export interface Finding {
  /** `fail`: something is lost or stuck. `warn`: it wastes storage or may cause problems later. */
  level: 'warn' | 'fail';
  /** Table, bucket key or id with the problem. */
  place: string;
  message: string;
  /** Whether it was repaired. */
  mended: boolean;
}

/** Result of one page of a check. */
export interface CheckStep {
  examined: number;
  findings: Finding[];
  next_page_token: string | null;
}

export interface CheckInput {
  page_token?: string | null | undefined;
  /** Number of items to check; each check has its own maximum. */
  page_size: number;
  /** Whether to repair what can be repaired safely. */
  fix: boolean;
}

/** Checks one page of items. It may be repeated and interrupted, and never changes correct items. */
export type Check = (ctx: Context, input: CheckInput) => Promise<CheckStep>;

/** Path of a check's page token in the request. */
export const TOKEN_PLACE = ['body', 'page_token'];

/**
 * Milliseconds after which work counts as stuck. Owners check their work every few seconds and end work
 * without progress after ten minutes.
 */
export const STUCK_MS = 15 * 60_000;

/**
 * Repairs a problem if requested. A failed repair does not stop the check, because the next call tries again.
 */
export async function mended(
  ctx: Context,
  input: CheckInput,
  mend: () => Promise<unknown>,
): Promise<boolean> {
  if (!input.fix) return false;
  try {
    await mend();
    return true;
  } catch (error) {
    ctx.log.warn('not mended', { error: messageOf(error) });
    return false;
  }
}
