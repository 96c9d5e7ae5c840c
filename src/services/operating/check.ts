import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';

/** Something that is not as it should be. */
export interface Finding {
  /** `fail`: something is lost or stuck; `warn`: it costs room, or will be in the way. */
  level: 'warn' | 'fail';
  /** What it is about: a table, a key of the bucket, an id. */
  place: string;
  message: string;
  /** It was put right. */
  mended: boolean;
}

/** A page of a check. */
export interface CheckStep {
  examined: number;
  findings: Finding[];
  next_page_token: string | null;
}

export interface CheckInput {
  page_token?: string | null | undefined;
  /** Things that are looked at; each check has its own bound. */
  page_size: number;
  /** Whether what is safe to mend is mended. */
  fix: boolean;
}

/** Looks at a page of one kind of things. May be repeated and interrupted: what is as it should be is left alone. */
export type Check = (ctx: Context, input: CheckInput) => Promise<CheckStep>;

/** Where a page token of a check is in the request. */
export const TOKEN_PLACE = ['body', 'page_token'];

/** Owners look at their work every few seconds and end what gets nowhere for ten minutes: beyond this they are stuck. */
export const STUCK_MS = 15 * 60_000;

/** Mends something where that is wanted. What cannot be mended now is no reason to stop: the next call tries again. */
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
