import { and, asc, eq, exists, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { pipelines, type RetrievalPreset, retrievalPresets } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { getPipeline, getWritablePipeline } from './pipelines.ts';

/** Maximum number of presets of a pipeline. */
export const MAX_PRESETS = 100;
/** Maximum length of the parameters of a preset in characters of JSON. Lists of presets return all parameters. */
export const MAX_PARAMETER_CHARACTERS = 32 * 1024;

const name = z.string().trim().min(1).max(200);
const parameters = presetRetrievalParameters.refine(
  (given) => JSON.stringify(given).length <= MAX_PARAMETER_CHARACTERS,
  { message: `must have at most ${MAX_PARAMETER_CHARACTERS} characters as JSON` },
);
const isDefault = z
  .boolean()
  .nullish()
  .describe(
    'With `true`, the preset becomes the default of the pipeline: its parameters replace `preset_retrieval_parameters`. ' +
      'With `false`, the preset is no longer the default, and the pipeline keeps these parameters.',
  );

export const newRetrievalPreset = z.object({ name, parameters, is_default: isDefault });
export type NewRetrievalPreset = z.infer<typeof newRetrievalPreset>;

export const retrievalPresetChanges = z.object({
  name: name.nullish(),
  parameters: parameters.nullish(),
  is_default: isDefault,
});
export type RetrievalPresetChanges = z.infer<typeof retrievalPresetChanges>;

/** A preset, and whether the pipeline uses its parameters by default. */
export type ShownPreset = RetrievalPreset & { isDefault: boolean };

export async function listRetrievalPresets(ctx: TenantContext, pipelineId: string): Promise<ShownPreset[]> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return selectPresets(ctx, eq(retrievalPresets.pipelineId, pipeline.id));
}

export async function getRetrievalPreset(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
): Promise<ShownPreset> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const [row] = await selectPresets(ctx, wherePreset(pipeline.id, id));
  if (!row) throw new NotFound('Retrieval preset', id);
  return row;
}

export async function createRetrievalPreset(
  ctx: TenantContext,
  pipelineId: string,
  input: NewRetrievalPreset,
): Promise<ShownPreset> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const now = new Date();
  const row = {
    id: newId(),
    pipelineId: pipeline.id,
    name: input.name,
    parameters: input.parameters,
    isChosen: false,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(select count(*) from retrieval_presets where pipeline_id = ${pipeline.id}) < ${MAX_PRESETS}`;
  await ctx.db.batch([
    buildConditionalInsert(ctx, createConditionalRow(retrievalPresets, row, hasRoom)),
    ...(input.is_default ? chooseAsDefault(ctx, pipeline.id, row.id) : []),
  ]);
  const [created] = await selectPresets(ctx, wherePreset(pipeline.id, row.id));
  if (created) return created;
  if (await isNameTaken(ctx, pipeline.id, row.id, input.name)) throw createNameConflict(input.name);
  throw new Conflict(
    `Pipeline ${pipeline.id} has ${MAX_PRESETS} retrieval presets, which is the maximum. Delete others first.`,
  );
}

/** Changes a preset. If the preset is the default of the pipeline, the pipeline uses the new parameters at once. */
export async function updateRetrievalPreset(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
  changes: RetrievalPresetChanges,
): Promise<ShownPreset> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const before = await getRetrievalPreset(ctx, pipeline.id, id);
  const wanted = changes.name ?? before.name;
  if (await isNameTaken(ctx, pipeline.id, id, wanted)) throw createNameConflict(wanted);
  const isDefaultAfter = changes.is_default ?? before.isDefault;
  const update = ctx.db
    .update(retrievalPresets)
    .set({
      name: changes.name ?? undefined,
      parameters: changes.parameters ?? undefined,
      ...(changes.is_default === false && { isChosen: false }),
      updatedAt: new Date(),
    })
    .where(wherePreset(pipeline.id, id));
  try {
    await ctx.db.batch([update, ...(isDefaultAfter ? chooseAsDefault(ctx, pipeline.id, id) : [])]);
  } catch (error) {
    // Another request may have taken the name in the meantime.
    if (await isNameTaken(ctx, pipeline.id, id, wanted)) throw createNameConflict(wanted);
    throw error;
  }
  return getRetrievalPreset(ctx, pipeline.id, id);
}

/** Deletes a preset. If the preset is the default of the pipeline, the pipeline keeps the parameters. */
export async function deleteRetrievalPreset(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const deleted = await ctx.db.delete(retrievalPresets).where(wherePreset(pipeline.id, id)).returning();
  if (deleted.length === 0) throw new NotFound('Retrieval preset', id);
}

const wherePreset = (pipelineId: string, id: string) =>
  and(eq(retrievalPresets.pipelineId, pipelineId), eq(retrievalPresets.id, id));

/** The texts are compared, because both columns contain JSON that the same schema has written. */
async function selectPresets(ctx: TenantContext, where: SQL | undefined): Promise<ShownPreset[]> {
  const isDefaultPreset = sql<number>`${retrievalPresets.isChosen}
    and ${retrievalPresets.parameters} = ${pipelines.presetRetrievalParameters}`;
  const rows = await ctx.db
    .select({ preset: getTableColumns(retrievalPresets), isDefaultPreset })
    .from(retrievalPresets)
    .innerJoin(pipelines, eq(pipelines.id, retrievalPresets.pipelineId))
    .where(where)
    .orderBy(asc(retrievalPresets.name));
  return rows.map(({ preset, isDefaultPreset: found }) => ({ ...preset, isDefault: found === 1 }));
}

/** Returns the statements that make a preset the default of its pipeline, if the preset exists. */
function chooseAsDefault(ctx: TenantContext, pipelineId: string, id: string) {
  const { parameters: chosen } = retrievalPresets;
  const preset = ctx.db
    .select({ parameters: chosen })
    .from(retrievalPresets)
    .where(wherePreset(pipelineId, id));
  const presetExists = exists(preset);
  return [
    ctx.db
      .update(retrievalPresets)
      .set({ isChosen: false })
      .where(and(eq(retrievalPresets.pipelineId, pipelineId), ne(retrievalPresets.id, id), presetExists)),
    ctx.db.update(retrievalPresets).set({ isChosen: true }).where(wherePreset(pipelineId, id)),
    ctx.db
      .update(pipelines)
      .set({ presetRetrievalParameters: sql`${preset}`, updatedAt: new Date() })
      .where(and(eq(pipelines.id, pipelineId), presetExists)),
  ] as const;
}

async function isNameTaken(ctx: TenantContext, pipelineId: string, id: string, wanted: string) {
  const sameName = and(
    eq(retrievalPresets.pipelineId, pipelineId),
    eq(retrievalPresets.name, wanted),
    ne(retrievalPresets.id, id),
  );
  return (await ctx.db.$count(retrievalPresets, sameName)) > 0;
}

const createNameConflict = (wanted: string) =>
  new Conflict(`The pipeline already has a retrieval preset named '${wanted}'. Choose another name.`);
