import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';

/**
 * Age in milliseconds after which an unfinished restore is considered abandoned and no longer prevents
 * deletions.
 */
const MAX_RESTORE_MS = 7 * DAY_MS;

/**
 * Returns whether a backup is being restored. A restore writes objects before their rows, and rows before the
 * rows that prevent their expiry. Nothing may therefore be cleaned up until the restore ends.
 */
export async function isRestoring({ bucket }: Pick<Context, 'bucket'>): Promise<boolean> {
  const { objects } = await bucket.list({ prefix: keys.restores });
  return objects.some(({ uploaded }) => uploaded.getTime() > Date.now() - MAX_RESTORE_MS);
}
