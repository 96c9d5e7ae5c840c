import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';

export interface Finding {
  /**
   * Severity of the problem. `fail` means that data is lost or work is stuck. `warn` means that storage is
   * wasted or problems may occur later.
   */
  level: 'warn' | 'fail';
  /** Table, bucket key or id in which the problem was found. */
  place: string;
  message: string;
  /** True if the problem was repaired. */
  mended: boolean;
}

export interface CheckStep {
  examined: number;
  findings: Finding[];
  next_page_token: string | null;
}

export interface CheckInput {
  page_token?: string | null | undefined;
  /** Number of items to check per call. Each check has its own maximum. */
  page_size: number;
  /** Whether to repair problems that can be repaired safely. */
  fix: boolean;
}

/**
 * Checks one page of items. A check may be repeated and interrupted, and never changes items without a
 * problem.
 */
export type Check = (ctx: Context, input: CheckInput) => Promise<CheckStep>;

/** Path of the page token in the request body, for error messages. */
export const TOKEN_LOCATION = ['body', 'page_token'];

/**
 * Time in milliseconds after which work counts as stuck. The Durable Objects that own work check it every few
 * seconds, and end work without progress after ten minutes.
 */
export const STUCK_MS = 15 * 60_000;

/**
 * Repairs a problem if the input requests it, and returns whether it was repaired. An error does not stop the
 * check, because the next check tries again.
 */
export async function tryRepair(
  ctx: Context,
  input: CheckInput,
  repair: () => Promise<unknown>,
): Promise<boolean> {
  if (!input.fix) return false;
  try {
    await repair();
    return true;
  } catch (error) {
    ctx.log.warn('repairing a problem failed', { error: getErrorMessage(error) });
    return false;
  }
}
