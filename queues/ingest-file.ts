import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { toReleaseFailure } from '#src/services/sync/item-result.ts';
import { performItems } from '#src/services/sync/perform-items.ts';
import { ClaimLost, holdLease } from '#src/work/held-lease.ts';
import type { Message } from '#src/work/messages.ts';
import type { Ended } from '#src/work/sync-owner.ts';

/**
 * Processes the items of a sync run that the message names. Claims them, sends heartbeats while they are
 * processed, and reports the result of each item.
 */
export async function ingestFile(ctx: Context, message: Message<'ingest-file'>): Promise<void> {
  const { pipelineId, generation, itemId: itemName } = message;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const consumer = crypto.randomUUID();
  const claim = await owner.claim(generation, itemName, consumer);
  if (!claim.go) return;
  const { items } = claim;
  const hold = holdLease(consumer, (_step, progress) => owner.heartbeat(generation, consumer, progress));
  const logFailure = (error: unknown, of: number) =>
    ctx.log.warn('item failed', { pipelineId, item: itemName, items: of, error: getErrorMessage(error) });
  try {
    const results = await performItems(ctx, pipelineId, claim, () => hold.checkpoint());
    const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (failures.length > 0) logFailure(failures[0], failures.length);
    const ended = items.map(({ item: { id: itemId } }, at): Ended => {
      const result = results[at]!;
      if (result.status === 'rejected') return { itemId, failure: toReleaseFailure(result.reason) };
      return 'parts' in result.value ? { itemId, ...result.value } : { itemId, outcome: result.value };
    });
    countItems(ended);
    await owner.report(generation, consumer, ended);
  } catch (error) {
    if (error instanceof ClaimLost) return;
    logFailure(error, items.length);
    const failure = toReleaseFailure(error, items.length);
    const ended = items.map(({ item }) => ({ itemId: item.id, failure }));
    countItems(ended);
    await owner.report(generation, consumer, ended);
  } finally {
    hold.end();
  }
}

/**
 * Counts the results of items for the metrics. An item that was split into parts has not ended and is not
 * counted.
 */
function countItems(ended: readonly Ended[]): void {
  for (const each of ended) {
    if ('failure' in each) count('sluice_items_total', { outcome: 'again' });
    if (!('outcome' in each)) continue;
    const { error, counters } = each.outcome;
    count('sluice_items_total', { outcome: error ? 'failed' : 'done' });
    for (const [counter, by] of Object.entries(counters)) count('sluice_sync_work_total', { counter }, by);
  }
}
