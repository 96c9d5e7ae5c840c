import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { releaseOf } from '#src/services/sync/item-result.ts';
import { performItems } from '#src/services/sync/perform-items.ts';
import { ClaimLost, holdLease } from '#src/work/hold.ts';
import type { Message } from '#src/work/messages.ts';
import type { Ended } from '#src/work/sync-owner.ts';

/** Does one item of a run, or several small ones: claims, works while the owner wants it, and reports how each ended. */
export async function ingestFile(ctx: Context, message: Message<'ingest-file'>): Promise<void> {
  const { pipelineId, generation, itemId: name } = message;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const consumer = crypto.randomUUID();
  const claim = await owner.claim(generation, name, consumer);
  if (!claim.go) return;
  const { items } = claim;
  const hold = holdLease(consumer, (_step, progress) => owner.heartbeat(generation, consumer, progress));
  const warn = (error: unknown, of: number) =>
    ctx.log.warn('item failed', { pipelineId, item: name, items: of, error: messageOf(error) });
  try {
    const results = await performItems(ctx, pipelineId, claim, () => hold.checkpoint());
    const failures = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (failures.length > 0) warn(failures[0], failures.length);
    const ended = items.map(({ item: { id: itemId } }, at): Ended => {
      const result = results[at]!;
      if (result.status === 'rejected') return { itemId, failure: releaseOf(result.reason) };
      return 'parts' in result.value ? { itemId, ...result.value } : { itemId, outcome: result.value };
    });
    countItems(ended);
    await owner.report(generation, consumer, ended);
  } catch (error) {
    if (error instanceof ClaimLost) return;
    warn(error, items.length);
    const failure = releaseOf(error, items.length);
    const ended = items.map(({ item }) => ({ itemId: item.id, failure }));
    countItems(ended);
    await owner.report(generation, consumer, ended);
  } finally {
    hold.end();
  }
}

/** What was split into parts has not ended. */
function countItems(ended: readonly Ended[]): void {
  for (const each of ended) {
    if ('failure' in each) count('sluice_items_total', { outcome: 'again' });
    if (!('outcome' in each)) continue;
    const { error, counters } = each.outcome;
    count('sluice_items_total', { outcome: error ? 'failed' : 'done' });
    for (const [counter, by] of Object.entries(counters)) count('sluice_sync_work_total', { counter }, by);
  }
}
