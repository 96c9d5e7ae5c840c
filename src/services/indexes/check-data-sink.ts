import { and, desc, eq, getTableColumns, inArray, isNotNull } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { type Component, parseComponent } from '#src/lib/schema/component.ts';
import { MANAGED_TYPE } from '#src/models/embedding/registry.ts';
import { getDataSink, type NewDataSink } from '#src/services/connections/data-sinks.ts';
import { openDataSink, openIndexSink, type SinkConfig } from '#src/services/connections/index-sink.ts';
import { type ConnectionCheck, failedCheck } from '#src/services/connections/validate-integrations.ts';
import managed from '#src/sinks/managed/managed.ts';
import { isSameLocation, rejectUnsupportedSearch, sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import { waitForIndex } from '#src/sinks/sink-timeout.ts';
import { compareIndex, describeLoss } from './compare-store.ts';
import { createSinkDeps } from './open-sink.ts';

type Checked = Pick<NewDataSink, 'sink_type' | 'component'>;

/**
 * Checks whether a data sink works with the given settings. Null checks the managed index. Throws `Invalid`
 * if the settings are malformed. If the data sink rejects the check or does not answer, the returned check
 * has failed and contains the reason.
 */
export async function checkDataSink(ctx: Context, input: Checked | null): Promise<ConnectionCheck> {
  const deps = createSinkDeps(ctx);
  if (!input) {
    return testSink(ctx, () => managed.check(managed.settings.parse({}), { ...deps, objects: ctx.objects }));
  }
  rejectUnsupportedSearch(input.sink_type, input.component);
  const { component } = parseComponent(sinkComponents, input.sink_type, input.component);
  const check = await testSink(ctx, () => sinkDriver(input.sink_type, component).check(component, deps));
  return addDimensionNote(ctx, check, component);
}

/**
 * Checks a saved data sink with its settings and the dimension of the vectors that pipelines write to it.
 * Also checks whether it has lost vectors of these pipelines.
 */
export async function checkSavedDataSink(ctx: TenantContext, id: string): Promise<ConnectionCheck> {
  const row = await getDataSink(ctx, id);
  const dimension = await getNewestDimension(ctx, id);
  let config: SinkConfig | undefined;
  const checked = await testSink(ctx, async () => {
    config = await openDataSink(ctx, row);
    const { type, component } = config;
    await sinkDriver(type, component).check(component, createSinkDeps(ctx), dimension);
  });
  const loss = checked.success && config ? await findLoss(ctx, id, config) : undefined;
  if (loss) return loss;
  return dimension === undefined ? addDimensionNote(ctx, checked, row.component) : checked;
}

/** Maximum number of indexes that a check compares, because the client is waiting. */
const MAX_COMPARED = 20;

/**
 * Compares the newest live indexes of a data sink with the vector store. Indexes at another location than the
 * data sink's current one are skipped. Returns `undefined` if no vectors are missing.
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
    .limit(MAX_COMPARED);
  try {
    const losses = await inParallel(found, async ({ index, pipeline }) => {
      const own = await openIndexSink(ctx, index);
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

/** Settings of data sinks that contain the dimension of the vectors. */
const DIMENSION_FIELDS = ['embed_dim', 'embedding_dimension'];

/**
 * Adds a note to a successful check if the configured dimension differs from that of the default embedding
 * model. The check does not fail, because a pipeline may use another model.
 */
function addDimensionNote(ctx: Context, check: ConnectionCheck, component: Component): ConnectionCheck {
  const field = DIMENSION_FIELDS.find((name) => typeof component[name] === 'number');
  if (!check.success || !field) return check;
  const { dimension } = ctx.models.embedding({ type: MANAGED_TYPE, component: {} });
  if (dimension === 0 || dimension === component[field]) return check;
  const note = `${field} is ${component[field]}, but the default embedding model returns ${dimension} dimensions. Pipelines with this data sink need a model with ${component[field]} dimensions.`;
  return { ...check, message: `${check.message} ${note}` };
}

async function testSink(ctx: Context, check: () => Promise<void>): Promise<ConnectionCheck> {
  try {
    await waitForIndex((async () => check())(), ctx.settings.SILENCE_SECONDS);
    return { success: true, message: 'The data sink answers and accepts these settings.' };
  } catch (error) {
    return failedCheck(error);
  }
}

/**
 * Returns the dimension of the newest index in the data sink. Returns `undefined` before its first vector is
 * stored.
 */
async function getNewestDimension(ctx: Context, dataSinkId: string): Promise<number | undefined> {
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
