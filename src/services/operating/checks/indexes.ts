import { and, asc, eq, gt } from 'drizzle-orm';
import { buildPage, parsePageToken } from '#src/db/paging.ts';
import { pipelineIndexes } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { dropRetired } from '#src/services/indexes/lifecycle.ts';
import {
  type Check,
  type Finding,
  STUCK_MS,
  TOKEN_LOCATION,
  tryRepair,
} from '#src/services/operating/check.ts';

/** Finds replaced indexes that were not deleted. */
export const checkIndexes: Check = async (ctx, input) => {
  const [after = ''] = parsePageToken(input.page_token, ['string'], TOKEN_LOCATION) ?? [];
  const rows = await ctx.db
    .select({ id: pipelineIndexes.id, pipelineId: pipelineIndexes.pipelineId, at: pipelineIndexes.updatedAt })
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.state, 'retired'), gt(pipelineIndexes.id, after)))
    .orderBy(asc(pipelineIndexes.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = buildPage(rows, input.page_size, ({ id }) => [id]);
  const findings = await inParallel(
    items.filter(({ at }) => Date.now() - at.getTime() > STUCK_MS),
    async ({ id, pipelineId }): Promise<Finding> => {
      const isRepaired = await tryRepair(ctx, input, () => dropRetired(ctx, pipelineId));
      const message = `The index of pipeline ${pipelineId} was replaced, but not deleted.`;
      return { level: 'warn', place: `index ${id}`, message, mended: isRepaired };
    },
  );
  return { examined: items.length, findings, next_page_token };
};
