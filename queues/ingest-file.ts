import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { toReleaseFailure } from '#src/services/sync/item-result.ts';
import { performItems } from '#src/services/sync/perform-items.ts';
import { createGiveWay, runInteractive } from '#src/work/give-way.ts';
import { ClaimLost, holdLease } from '#src/work/held-lease.ts';
import type { Message } from '#src/work/messages.ts';
import type { Ended } from '#src/work/sync-owner.ts';

/**
 * Processes the items of a sync run that the message names. Claims them, sends heartbeats while they are
 * processed, and reports the result of each item.
 */
export async function ingestFile(
  ctx: Context,
  message: Message<'ingest-file'>,
  isInteractive = false,
): Promise<void> {
  if (isInteractive) return runInteractive(() => ingestItems(ctx, message, async () => {}));
  return ingestItems(ctx, message, createGiveWay());
}

/** `giveWay` is called between steps of the work. It lets other work of this isolate continue first. */
async function ingestItems(
  ctx: Context,
  message: Message<'ingest-file'>,
  giveWay: () => Promise<void>,
): Promise<void> {
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
    const results = await performItems(ctx, pipelineId, claim, async () => {
      await giveWay();
      await hold.checkpoint();
    });
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
  const outcomes = { again: 0, failed: 0, done: 0 };
  const work = new Map<string, number>();
  for (const each of ended) {
    if ('failure' in each) outcomes.again += 1;
    if (!('outcome' in each)) continue;
    const { error, counters } = each.outcome;
    outcomes[error ? 'failed' : 'done'] += 1;
    for (const [counter, by] of Object.entries(counters)) work.set(counter, (work.get(counter) ?? 0) + by);
  }
  for (const [outcome, by] of Object.entries(outcomes)) {
    if (by > 0) count('sluice_items_total', { outcome }, by);
  }
  for (const [counter, by] of work) count('sluice_sync_work_total', { counter }, by);
}
