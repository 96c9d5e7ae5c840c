import { and, desc, eq, notExists } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type DataSource, dataSources, pipelineDataSources, pipelines } from '#src/db/schema/index.ts';
import { upsertByName } from '#src/db/upsert.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { NotFound } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { metadata } from '#src/lib/metadata.ts';
import { componentWarnings } from '#src/lib/schema/component.ts';
import { withSelected } from '#src/lib/schema/effect.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { sourceComponentInput, sourceComponents, sourceType } from '#src/sources/registry.ts';
import { type ComponentStore, componentStore } from './components.ts';
import { createInUseError } from './in-use.ts';

export const READER_VERSIONS = ['1.0', '2.0', '2.1'] as const;

/**
 * Reader version that the API reports for every data source. Each reader has only one implementation, which
 * behaves like the newest version.
 */
const READER_VERSION = '2.1' satisfies (typeof READER_VERSIONS)[number];

const name = z.string().min(1).max(3000);

/**
 * Returns warnings about the settings of a data source. The rules depend on its type, which is in the field
 * next to the settings.
 */
const warningsByType = {
  component: ({ source_type, component }: Record<string, unknown>) =>
    componentWarnings(sourceComponents, source_type, component),
};

export const newDataSource = withSelected(
  z.object({
    name,
    source_type: sourceType,
    component: sourceComponentInput,
    custom_metadata: metadata
      .nullish()
      .describe('Metadata that is attached to every file from this data source.'),
  }),
  warningsByType,
);
export type NewDataSource = z.infer<typeof newDataSource>;

/**
 * The type is required, so that settings are never validated with the schema of another type of data source.
 */
export const dataSourceChanges = withSelected(
  z.object({
    source_type: sourceType,
    name: name.nullish(),
    component: sourceComponentInput.nullish(),
    custom_metadata: metadata
      .nullish()
      .describe('Replaces all custom metadata. If absent or null, nothing changes.'),
  }),
  warningsByType,
);
export type DataSourceChanges = z.infer<typeof dataSourceChanges>;

const createStore = (ctx: Context): ComponentStore =>
  componentStore(ctx, sourceComponents, { freeForm: true });

/** Returns a data source with masked secrets, for API responses. */
export function maskDataSource(ctx: Context, source: DataSource): DataSource {
  return { ...source, component: createStore(ctx).mask(source.sourceType, source.component) };
}

export function openComponent(ctx: Context, source: DataSource): Promise<DataSource['component']> {
  return createStore(ctx).open(source.component, sealedPlaces.dataSource(source.id));
}

export async function createDataSource(ctx: TenantContext, input: NewDataSource): Promise<DataSource> {
  return (await insertDataSource(ctx, newId(), input))!;
}

async function insertDataSource(
  ctx: TenantContext,
  id: string,
  input: NewDataSource,
): Promise<DataSource | undefined> {
  const [row] = await ctx.db
    .insert(dataSources)
    .values({
      id,
      projectId: ctx.projectId,
      name: input.name,
      sourceType: input.source_type,
      component: await createStore(ctx).seal(
        input.source_type,
        input.component,
        {},
        sealedPlaces.dataSource(id),
      ),
      customMetadata: input.custom_metadata ?? null,
      versionMetadata: { reader_version: READER_VERSION },
    })
    .onConflictDoNothing()
    .returning();
  return row;
}

/** Creates a data source, or updates the newest one with this name. */
export function upsertDataSource(ctx: TenantContext, input: NewDataSource): Promise<DataSource> {
  return upsertByName({
    find: () =>
      ctx.db.query.dataSources.findFirst({
        where: and(eq(dataSources.projectId, ctx.projectId), eq(dataSources.name, input.name)),
        orderBy: [desc(dataSources.createdAt), desc(dataSources.id)],
      }),
    update: ({ id }) => updateDataSource(ctx, id, input),
    insert: async () =>
      insertDataSource(ctx, await derivedId('data source', ctx.projectId, input.name), input),
    create: () => createDataSource(ctx, input),
  });
}

export function listDataSources(ctx: TenantContext): Promise<DataSource[]> {
  return ctx.db.query.dataSources.findMany({
    where: eq(dataSources.projectId, ctx.projectId),
    orderBy: [desc(dataSources.createdAt), desc(dataSources.id)],
  });
}

export async function getDataSource(ctx: TenantContext, id: string): Promise<DataSource> {
  const row = await ctx.db.query.dataSources.findFirst({
    where: and(eq(dataSources.id, id), withinScope(ctx, dataSources.projectId)),
  });
  if (!row) throw new NotFound('Data source', id);
  return row;
}

/** Updates a data source. Pipelines use the new settings and metadata from their next sync on. */
export async function updateDataSource(
  ctx: TenantContext,
  id: string,
  changes: DataSourceChanges,
): Promise<DataSource> {
  const source = await writeChanges(ctx, id, changes);
  if (changes.component) ctx.defer(forgetTokens(ctx, id));
  return source;
}

/** Deletes cached access tokens that were fetched with the former settings. */
async function forgetTokens(ctx: Context, id: string): Promise<void> {
  const users = await ctx.db
    .select({ pipelineId: pipelineDataSources.pipelineId })
    .from(pipelineDataSources)
    .where(eq(pipelineDataSources.dataSourceId, id));
  await inParallel(users, ({ pipelineId }) => ctx.objects.pipelineTokens(pipelineId).forgetTokens(id));
}

function writeChanges(ctx: TenantContext, id: string, changes: DataSourceChanges): Promise<DataSource> {
  return retryUntilWritten(async () => {
    const stored = await getDataSource(ctx, id);
    const component = await createStore(ctx).update(
      { kind: stored.sourceType, component: stored.component },
      { kind: changes.source_type, component: changes.component },
      sealedPlaces.dataSource(id),
    );
    const isAsRead = and(
      eq(dataSources.sourceType, stored.sourceType),
      eq(dataSources.component, stored.component),
    );
    const [row] = await ctx.db
      .update(dataSources)
      .set({
        name: changes.name ?? undefined,
        sourceType: changes.source_type,
        component,
        customMetadata: changes.custom_metadata ?? undefined,
      })
      .where(and(eq(dataSources.id, id), isAsRead))
      .returning();
    return row;
  });
}

/** Deletes a data source. Files that were loaded from it are kept in the project. */
export async function deleteDataSource(ctx: TenantContext, id: string): Promise<void> {
  await getDataSource(ctx, id);
  const users = ctx.db
    .select({ name: pipelines.name })
    .from(pipelineDataSources)
    .innerJoin(pipelines, eq(pipelines.id, pipelineDataSources.pipelineId))
    .where(eq(pipelineDataSources.dataSourceId, id));
  // A single statement checks for users and deletes, so that no pipeline can start to use the data source in
  // between.
  const { meta } = await ctx.db.delete(dataSources).where(and(eq(dataSources.id, id), notExists(users)));
  if (meta.changes === 0) throw createInUseError('data source', await users);
}
