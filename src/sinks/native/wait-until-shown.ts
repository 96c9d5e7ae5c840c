import { backoff } from '#src/lib/async/backoff.ts';
import type { SinkDeps } from '#src/ports/sink.ts';

/** Time limits in seconds of waiting until searches find written chunks, which usually takes about a second. */
const WAITS = { first: 0.2, longest: 2 };
const LOOKS = 8;

/**
 * Waits until searches find written chunks, so that a new version does not replace an old one before it can be found. If
 * the store takes unusually long, the write counts as complete nevertheless.
 */
export async function waitUntilShown(
  areShown: () => Promise<boolean>,
  { log, indexId }: Pick<SinkDeps, 'log'> & { indexId: string },
): Promise<void> {
  for (let look = 1; look <= LOOKS; look++) {
    if (await areShown()) return;
    await new Promise((resolve) => setTimeout(resolve, backoff(WAITS, look) * 1000));
  }
  log.warn('written chunks are not visible yet', { index: indexId });
}
