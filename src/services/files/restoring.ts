import type { Context } from '#src/context.ts';
import { keys } from '#src/files/keys.ts';

/**
 * Whether a restore is under way. Its bytes lie in the bucket before the rows that speak of them, and its rows before
 * those that keep them from expiring: until it is over nothing is taken away for want of either.
 */
export async function isRestoring({ bucket }: Pick<Context, 'bucket'>): Promise<boolean> {
  const { objects } = await bucket.list({ prefix: keys.restores, limit: 1 });
  return objects.length > 0;
}
