import { and, desc, eq, notExists } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import { type DataSink, dataSinks, pipelines } from '#src/db/schema/index.ts';
import { upsertByName } from '#src/db/upsert.ts';
import { NotFound } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { componentWarnings } from '#src/lib/schema/component.ts';
import { withSelected } from '#src/lib/schema/effect.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import {
  rejectUnsupportedSearch,
  sinkComponentInput,
  sinkComponents,
  sinkType,
} from '#src/sinks/registry.ts';
import { type ComponentStore, componentStore } from './components.ts';
import { createInUseError } from './in-use.ts';
import { updateIndexSinks } from './index-sink.ts';

const name = z.string().min(1).max(3000);

/**
 * Returns warnings about the settings of a data sink. The rules depend on its type, which is in the field
 * next to the settings.
 */
export const warningsByType = {
  component: ({ sink_type, component }: Record<string, unknown>) =>
    componentWarnings(sinkComponents, sink_type, component),
};

export const newDataSink = withSelected(
  z.object({ name, sink_type: sinkType, component: sinkComponentInput }),
  warningsByType,
);
export type NewDataSink = z.infer<typeof newDataSink>;

/**
 * The type is required, so that settings are never validated with the schema of another type of data sink.
 */
export const dataSinkChanges = withSelected(
  z.object({
    sink_type: sinkType,
    name: name.nullish(),
    component: sinkComponentInput.nullish(),
  }),
  warningsByType,
);
export type DataSinkChanges = z.infer<typeof dataSinkChanges>;

const createStore = (ctx: Context): ComponentStore => componentStore(ctx, sinkComponents, { freeForm: true });

/** Returns a data sink with masked secrets, for API responses. */
export function maskDataSink(ctx: Context, sink: DataSink): DataSink {
  return { ...sink, component: createStore(ctx).mask(sink.sinkType, sink.component) };
}

export async function createDataSink(ctx: TenantContext, input: NewDataSink): Promise<DataSink> {
  return (await insertDataSink(ctx, newId(), input))!;
}

async function insertDataSink(
  ctx: TenantContext,
  id: string,
  input: NewDataSink,
): Promise<DataSink | undefined> {
  rejectUnsupportedSearch(input.sink_type, input.component);
  const component = await createStore(ctx).seal(
    input.sink_type,
    input.component,
    {},
    sealedPlaces.dataSink(id),
  );
  const [row] = await ctx.db
    .insert(dataSinks)
    .values({ id, projectId: ctx.projectId, name: input.name, sinkType: input.sink_type, component })
    .onConflictDoNothing()
    .returning();
  return row;
}

/** Creates a data sink, or updates the newest one with this name. */
export function upsertDataSink(ctx: TenantContext, input: NewDataSink): Promise<DataSink> {
  return upsertByName({
    find: () =>
      ctx.db.query.dataSinks.findFirst({
        where: and(eq(dataSinks.projectId, ctx.projectId), eq(dataSinks.name, input.name)),
        orderBy: [desc(dataSinks.createdAt), desc(dataSinks.id)],
      }),
    update: ({ id }) => updateDataSink(ctx, id, input),
    insert: async () => insertDataSink(ctx, await derivedId('data sink', ctx.projectId, input.name), input),
    create: () => createDataSink(ctx, input),
  });
}

export function listDataSinks(ctx: TenantContext): Promise<DataSink[]> {
  return ctx.db.query.dataSinks.findMany({
    where: eq(dataSinks.projectId, ctx.projectId),
    orderBy: [desc(dataSinks.createdAt), desc(dataSinks.id)],
  });
}

export async function getDataSink(ctx: TenantContext, id: string): Promise<DataSink> {
  const row = await ctx.db.query.dataSinks.findFirst({
    where: and(eq(dataSinks.id, id), withinScope(ctx, dataSinks.projectId)),
  });
  if (!row) throw new NotFound('Data sink', id);
  return row;
}

/** Updates a data sink. Its indexes use the new settings immediately. */
export async function updateDataSink(
  ctx: TenantContext,
  id: string,
  changes: DataSinkChanges,
): Promise<DataSink> {
  rejectUnsupportedSearch(changes.sink_type, changes.component);
  const updated = await retryUntilWritten(async () => {
    const stored = await getDataSink(ctx, id);
    const component = await createStore(ctx).update(
      { kind: stored.sinkType, component: stored.component },
      { kind: changes.sink_type, component: changes.component },
      sealedPlaces.dataSink(id),
    );
    const isAsRead = and(eq(dataSinks.sinkType, stored.sinkType), eq(dataSinks.component, stored.component));
    const [row] = await ctx.db
      .update(dataSinks)
      .set({ name: changes.name ?? undefined, sinkType: changes.sink_type, component })
      .where(and(eq(dataSinks.id, id), isAsRead))
      .returning();
    return row;
  });
  await updateIndexSinks(ctx, updated);
  return updated;
}

export async function deleteDataSink(ctx: TenantContext, id: string): Promise<void> {
  await getDataSink(ctx, id);
  const users = ctx.db.select({ name: pipelines.name }).from(pipelines).where(eq(pipelines.dataSinkId, id));
  // A single statement checks for users and deletes, so that no pipeline can start to use the data sink in
  // between.
  const { meta } = await ctx.db.delete(dataSinks).where(and(eq(dataSinks.id, id), notExists(users)));
  if (meta.changes === 0) throw createInUseError('data sink', await users);
}
