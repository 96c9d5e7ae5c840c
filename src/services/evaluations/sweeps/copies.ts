import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type EvaluationSweep, pipelines, type SweepVariant } from '#src/db/schema/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { copyForSweep } from '#src/services/pipelines/copy.ts';
import { getNewestRun } from '#src/services/pipelines/sync.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { asCaller } from '../measure-search.ts';
import { TargetMissing } from '../runner.ts';

/** Returns the id of the copy of the pipeline that has a variant's settings. */
export const getCopyId = ({ id }: Pick<EvaluationSweep, 'id'>, variant: number): Promise<string> =>
  derivedId('sweep', id, variant);

/**
 * Creates and indexes a copy of the pipeline for each variant. Returns false if a copy is still being indexed. Throws
 * TargetMissing if a copy cannot be indexed.
 */
export async function prepareCopies(ctx: Context, sweep: EvaluationSweep, hold: HeldLease): Promise<boolean> {
  let areReady = true;
  for (const [position, variant] of sweep.variants.entries()) {
    await hold.checkpoint();
    const id = await getCopyId(sweep, position);
    const run = await getNewestRun(ctx, id);
    if (!run) await createCopy(ctx, sweep, variant, { id, consumer: hold.consumer });
    else if (run.status === 'ERROR' || run.status === 'CANCELLED') {
      throw new TargetMissing(`The copy of the pipeline with ${describe(variant)} could not be indexed.`);
    }
    if (!run?.finishedAt) areReady = false;
  }
  return areReady;
}

const describe = (variant: SweepVariant) =>
  Object.entries(variant)
    .map(([name, value]) => `${name} ${value}`)
    .join(' and ');

async function createCopy(
  ctx: Context,
  sweep: EvaluationSweep,
  variant: SweepVariant,
  { id, consumer }: { id: string; consumer: string },
): Promise<void> {
  // The names of copies contain the id, so that they do not take names that a user may want.
  const name = `${sweep.targetName.slice(0, 2_000)} (sweep ${id})`;
  const isWanted = sql`exists (select 1 from evaluation_sweeps where id = ${sweep.id} and consumer = ${consumer}
    and status = 'RUNNING')`;
  try {
    await copyForSweep(asCaller(ctx, sweep), sweep.pipelineId, {
      ...{ id, sweepId: sweep.id, name, variant, isWanted },
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
    throw new TargetMissing(`The pipeline could not be copied with ${describe(variant)}: ${error.message}`);
  }
}

/** Deletes the copies of a sweep. Does nothing if there are none. */
export const removeCopies = (ctx: Context, sweepId: string): Promise<void> =>
  removeWhere(ctx, eq(pipelines.sweepId, sweepId));

/** Deletes the copies of all sweeps of a question set. */
export const removeCopiesOfSet = (ctx: Context, questionSetId: string): Promise<void> =>
  removeWhere(
    ctx,
    sql`${pipelines.sweepId} in (select id from evaluation_sweeps where question_set_id = ${questionSetId})`,
  );

async function removeWhere(ctx: Context, where: SQL): Promise<void> {
  const rows = await ctx.db
    .select({ id: pipelines.id })
    .from(pipelines)
    .where(and(where, ne(pipelines.status, 'DELETING')));
  for (const { id } of rows) await ctx.objects.pipelineSync(id).erase(id, false);
}
