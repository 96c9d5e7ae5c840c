import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import { readPageToken } from '#src/db/paging.ts';
import {
  classifyJobs,
  configurations,
  dataSinks,
  dataSources,
  embeddingModelConfigs,
  extractJobs,
  parseJobs,
  pipelineIndexes,
  pipelines,
  webhookConfigs,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { messageOf } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { type KeyRing, keyRingOf, SecretError } from './key-ring.ts';
import { sealedPlaces } from './sealed-places.ts';
import { resealSecrets } from './secret-fields.ts';

export interface RotationStep {
  /** Rows with sealed secrets that this step looked at, and those that it sealed anew. */
  examined: number;
  rotated: number;
  /** Rows that no configured key opens. They stay as they are. */
  failed: { place: string; message: string }[];
  next_page_token: string | null;
}

/** A column that holds sealed secrets, in whatever depth of its values. */
export interface SealedColumn {
  table: SQLiteTable;
  cell: SQLiteColumn;
  place(id: string): string;
  /** Rows after `id` that hold something sealed, by id. */
  read(ctx: Context, afterId: string, limit: number): Promise<{ id: string; value: unknown }[]>;
  /** Only while the row still holds `before`: a client's own write is newer than ours. */
  replace(ctx: Context, id: string, before: unknown, after: unknown): Promise<boolean>;
  /** Undefined: all of it is sealed with the ring's current key already. */
  reseal(value: unknown, ring: KeyRing, place: string): Promise<unknown>;
}

type Table = SQLiteTable & { id: SQLiteColumn; updatedAt: SQLiteColumn };

function column<T extends Table>(
  table: T,
  name: keyof T['$inferSelect'] & keyof T & string,
  place: (id: string) => string,
  reseal: SealedColumn['reseal'] = resealSecrets,
): SealedColumn {
  const cell = table[name] as SQLiteColumn;
  return {
    table,
    cell,
    place,
    reseal,
    read: (ctx, afterId, limit) =>
      ctx.db
        .select({ id: table.id, value: cell })
        .from(table as Table)
        .where(and(gt(table.id, afterId), sql`instr(${cell}, 'sealed:v1:') > 0`))
        .orderBy(asc(table.id))
        .limit(limit) as Promise<{ id: string; value: unknown }[]>,
    async replace(ctx, id, before, after) {
      // Nothing that a client could see has changed.
      const changes = { [name]: after, updatedAt: sql`${table.updatedAt}` };
      const { meta } = await ctx.db
        .update(table as Table)
        .set(changes as never)
        .where(and(eq(table.id, id), eq(cell, before)));
      return meta.changes > 0;
    },
  };
}

/** A configuration of a `type` is sealed from its component on. */
const resealComponent: SealedColumn['reseal'] = async (value, ring, place) => {
  const config = value as { component: unknown };
  const component = await resealSecrets(config.component, ring, place);
  return component === undefined ? undefined : { ...config, component };
};

/** A new column that holds sealed secrets must be listed here; test/api/secrets.test.ts finds a missing one. */
export const SEALED_COLUMNS: SealedColumn[] = [
  column(dataSinks, 'component', sealedPlaces.dataSink),
  column(dataSources, 'component', sealedPlaces.dataSource),
  column(embeddingModelConfigs, 'embeddingConfig', sealedPlaces.embeddingModelConfig, resealComponent),
  column(pipelines, 'embeddingConfig', sealedPlaces.pipelineEmbedding, resealComponent),
  column(pipelineIndexes, 'embeddingConfig', sealedPlaces.indexEmbedding, resealComponent),
  column(pipelineIndexes, 'sink', sealedPlaces.indexSink, resealComponent),
  column(pipelines, 'parseParameters', sealedPlaces.pipelineParsing),
  column(webhookConfigs, 'configuration', sealedPlaces.webhookConfig),
  column(webhookDeliveries, 'configuration', sealedPlaces.webhookDelivery),
  column(configurations, 'parameters', sealedPlaces.savedConfiguration),
  ...[extractJobs, classifyJobs, parseJobs].flatMap((jobs) => [
    column(jobs, 'configuration', sealedPlaces.jobConfiguration),
    column(jobs, 'webhookConfigurations', sealedPlaces.jobWebhooks),
    column(jobs, 'sealedInput', sealedPlaces.jobInput),
  ]),
];

/**
 * Seals secrets of all tenants under the current ENCRYPTION_KEY, up to `pageSize` rows a call. May be repeated
 * and interrupted: what is under the current key already stays as it is. For the operator: needs the
 * bootstrap key.
 */
export async function rotateSecrets(
  ctx: TenantContext,
  input: { page_token?: string | null; page_size?: number | null },
): Promise<RotationStep> {
  await requireOperator(ctx);
  return goThroughSecrets(ctx, input, true);
}

/** The same without sealing anything: `rotated` counts what would be sealed anew. */
export async function goThroughSecrets(
  ctx: Context,
  input: { page_token?: string | null; page_size?: number | null },
  isToWrite: boolean,
): Promise<RotationStep> {
  const ring = keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const start = readPageToken(input.page_token, ['number', 'string'], ['body', 'page_token']);
  const [index, afterId] = start ?? [0, ''];
  const sealed = SEALED_COLUMNS[index];
  const step: RotationStep = { examined: 0, rotated: 0, failed: [], next_page_token: null };
  if (!sealed) return step;
  const size = input.page_size ?? 100;
  const rows = await sealed.read(ctx, afterId, size);
  for (const { id, value } of rows) await rotateRow(ctx, sealed, ring, { id, value }, step, isToWrite);
  const isWholeColumn = rows.length < size;
  if (!isWholeColumn) step.next_page_token = encodeCursor([index, rows.at(-1)!.id]);
  else if (index + 1 < SEALED_COLUMNS.length) step.next_page_token = encodeCursor([index + 1, '']);
  return step;
}

async function rotateRow(
  ctx: Context,
  sealed: SealedColumn,
  ring: KeyRing,
  row: { id: string; value: unknown },
  step: RotationStep,
  isToWrite: boolean,
): Promise<void> {
  step.examined++;
  const place = sealed.place(row.id);
  try {
    const after = await sealed.reseal(row.value, ring, place);
    if (after === undefined) return;
    if (!isToWrite || (await sealed.replace(ctx, row.id, row.value, after))) step.rotated++;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    step.failed.push({ place, message: messageOf(error) });
  }
}
