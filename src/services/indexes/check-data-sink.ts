import { and, desc, eq, getTableColumns, inArray, isNotNull } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { type Component, parseComponent } from '#src/lib/schema/component.ts';
import { MANAGED_TYPE } from '#src/models/embedding/registry.ts';
import { getDataSink, type NewDataSink } from '#src/services/connections/data-sinks.ts';
import { openDataSink, type SinkConfig, sinkOfIndex } from '#src/services/connections/index-sink.ts';
import { type ConnectionCheck, failedCheck } from '#src/services/connections/validate-integrations.ts';
import managed from '#src/sinks/managed/managed.ts';
import { patiently } from '#src/sinks/patient.ts';
import { isSameLocation, sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import { compareIndex, describeLoss } from './compare-store.ts';
import { sinkDeps } from './open-sink.ts';

type Checked = Pick<NewDataSink, 'sink_type' | 'component'>;

/**
 * Checks whether a store works with these settings; null checks the managed index. Throws `Invalid` for a
 * malformed component. If the store refuses or does not answer, the returned check has failed and names the
 * reason.
 */
export async function checkDataSink(ctx: Context, input: Checked | null): Promise<ConnectionCheck> {
  const deps = sinkDeps(ctx);
  if (!input) {
    return tried(ctx, managed.kind, () =>
      managed.check(managed.settings.parse({}), { ...deps, objects: ctx.objects }),
    );
  }
  const { component } = parseComponent(sinkComponents, input.sink_type, input.component);
  const check = await tried(ctx, input.sink_type, () =>
    sinkDriver(input.sink_type, component).check(component, deps),
  );
  return withDimensionNote(ctx, check, component);
}

/**
 * Checks a data sink with its saved settings, with the dimension of the vectors that pipelines write there, and for
 * vectors of these pipelines that it has lost.
 */
export async function checkSavedDataSink(ctx: TenantContext, id: string): Promise<ConnectionCheck> {
  const row = await getDataSink(ctx, id);
  const dimension = await dimensionIn(ctx, id);
  let config: SinkConfig | undefined;
  const checked = await tried(ctx, row.sinkType, async () => {
    config = await openDataSink(ctx, row);
    const { type, component } = config;
    await sinkDriver(type, component).check(component, sinkDeps(ctx), dimension);
  });
  const loss = checked.success && config ? await findLoss(ctx, id, config) : undefined;
  if (loss) return loss;
  return dimension === undefined ? withDimensionNote(ctx, checked, row.component) : checked;
}

/** Maximum number of indexes compared per check, because the caller is waiting. */
const MOST_COMPARED = 20;

/**
 * Compares the newest live indexes of the data sink with the store. Indexes at another location than the data
 * sink's current one are skipped. Returns `undefined` if no vectors are missing.
 */
async function findLoss(
  ctx: Context,
  dataSinkId: string,
  { type, component }: SinkConfig,
): Promise<ConnectionCheck | undefined> {
  const found = await ctx.db
    .select({ index: getTableColumns(pipelineIndexes), pipeline: pipelines.name })
    .from(pipelineIndexes)
    .innerJoin(pipelines, eq(pipelines.id, pipelineIndexes.pipelineId))
    .where(
      and(
        eq(pipelines.dataSinkId, dataSinkId),
        eq(pipelineIndexes.state, 'live'),
        isNotNull(pipelineIndexes.sink),
      ),
    )
    .orderBy(desc(pipelineIndexes.createdAt))
    .limit(MOST_COMPARED);
  try {
    const losses = await inParallel(found, async ({ index, pipeline }) => {
      const own = await sinkOfIndex(ctx, index);
      if (own?.type !== type || !isSameLocation(type, own.component, component)) return [];
      const compared = await compareIndex(ctx, index);
      const loss = compared && describeLoss(compared);
      return loss ? [`Pipeline ${pipeline}: ${loss}`] : [];
    });
    const message = losses.flat().join(' ');
    return message === '' ? undefined : { success: false, message };
  } catch (error) {
    return failedCheck(error);
  }
}

/** Settings that state the dimension of the vectors. */
const DIMENSION_FIELDS = ['embed_dim', 'embedding_dimension'];

/**
 * Notes in a successful check that the configured dimension differs from that of the default embedding model.
 * This is not a failure, because a pipeline may use another model.
 */
function withDimensionNote(ctx: Context, check: ConnectionCheck, component: Component): ConnectionCheck {
  const field = DIMENSION_FIELDS.find((name) => typeof component[name] === 'number');
  if (!check.success || !field) return check;
  const { dimension } = ctx.models.embedding({ type: MANAGED_TYPE, component: {} });
  if (dimension === 0 || dimension === component[field]) return check;
  const note = `${field} is ${component[field]}, but the default embedding model gives ${dimension} dimensions: a pipeline with this data sink needs a model of ${component[field]} dimensions.`;
  return { ...check, message: `${check.message} ${note}` };
}

async function tried(ctx: Context, type: string, check: () => Promise<void>): Promise<ConnectionCheck> {
  try {
    await patiently(type, (async () => check())(), ctx.settings.SILENCE_SECONDS);
    return { success: true, message: `The store (${type}) answers and takes these settings.` };
  } catch (error) {
    return failedCheck(error);
  }
}

/** Returns the dimension of the newest index in the data sink; undefined before its first vector. */
async function dimensionIn(ctx: Context, dataSinkId: string): Promise<number | undefined> {
  const [newest] = await ctx.db
    .select({ dimension: pipelineIndexes.dimension })
    .from(pipelineIndexes)
    .innerJoin(pipelines, eq(pipelines.id, pipelineIndexes.pipelineId))
    .where(
      and(
        eq(pipelines.dataSinkId, dataSinkId),
        inArray(pipelineIndexes.state, ['live', 'building']),
        isNotNull(pipelineIndexes.dimension),
        isNotNull(pipelineIndexes.sink),
      ),
    )
    .orderBy(desc(pipelineIndexes.createdAt))
    .limit(1);
  return newest?.dimension ?? undefined;
}
