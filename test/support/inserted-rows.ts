import { env } from 'cloudflare:workers';
import { openDatabase } from '#src/db/client.ts';
import {
  dataSources,
  files,
  type parseJobs,
  pipelineDataSources,
  pipelineMembers,
  pipelines,
  projects,
  syncRuns,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import { getJobTable, ID_PREFIX } from '#src/services/jobs/kinds.ts';
import type { JobKind } from '#src/work/job-owner.ts';

// Rows for tests of statements that select or delete rows. Nothing in the background reads or changes them.

type Columns<Table extends { $inferInsert: object }> = Partial<Table['$inferInsert']>;

const db = openDatabase(env.DB);

export async function insertProject(
  organizationId: string,
  columns: Columns<typeof projects> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(projects).values({ id, organizationId, name: id, ...columns });
  return id;
}

export async function insertPipeline(
  projectId: string,
  columns: Columns<typeof pipelines> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(pipelines).values({
    ...{ id, projectId, name: id },
    embeddingConfig: { type: 'HASH_EMBEDDING', component: {} },
    ...{ transformConfig: {}, parseParameters: {}, presetRetrievalParameters: {} },
    ...{ embeddingConfigHash: '', parsingConfigHash: '', transformConfigHash: '' },
    ...columns,
  });
  return id;
}

export async function insertFile(projectId: string, columns: Columns<typeof files> = {}): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(files).values({ id, projectId, name: `${id}.txt`, ...columns });
  return id;
}

/** Inserts a file as a member of a pipeline. */
export async function insertMember(
  pipelineId: string,
  fileId: string,
  columns: Columns<typeof pipelineMembers> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const row = { id, pipelineId, kind: 'file' as const, documentId: fileId, fileId };
  await db.insert(pipelineMembers).values({ ...row, ...columns });
  return id;
}

/** Inserts a text document of a pipeline. */
export async function insertText(
  pipelineId: string,
  documentId: string,
  columns: Columns<typeof pipelineMembers> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(pipelineMembers).values({
    ...{ id, pipelineId, documentId, textId: id, text: 'A text.', contentHash: '', metadata: {} },
    ...{ excludedEmbedMetadataKeys: [], excludedLlmMetadataKeys: [] },
    kind: 'text',
    ...columns,
  });
  return id;
}

export async function insertSource(projectId: string): Promise<string> {
  const id = crypto.randomUUID();
  const row = { id, projectId, name: id, sourceType: 'SOURCE_9_BUCKET', component: {} };
  await db.insert(dataSources).values(row);
  return id;
}

/** Adds a data source to a pipeline. */
export async function attachSource(
  pipelineId: string,
  dataSourceId: string,
  columns: Columns<typeof pipelineDataSources> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(pipelineDataSources).values({ id, pipelineId, dataSourceId, ...columns });
  return id;
}

/** Inserts a completed job. */
export async function insertJob(
  kind: JobKind,
  projectId: string,
  columns: Columns<typeof parseJobs> = {},
): Promise<string> {
  const id = columns.id ?? newId(ID_PREFIX[kind]);
  await db.insert(getJobTable(kind)).values({
    ...{ id, projectId, userId: 'somebody', fileInput: 'file' },
    documentInputType: 'file_id',
    configuration: {},
    status: 'COMPLETED',
    finishedAt: new Date(),
    ...columns,
  });
  return id;
}

/** Inserts a delivered webhook delivery. */
export async function insertDelivery(
  projectId: string,
  jobId: string,
  columns: Columns<typeof webhookDeliveries> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await db.insert(webhookDeliveries).values({
    ...{ id, projectId, jobId, eventId: id, endpoint: 'endpoint', sequence: 1 },
    ...{ eventType: 'parse.success', configuration: {}, body: '{}' },
    status: 'delivered',
    ...columns,
  });
  return id;
}

/** Inserts a finished sync run. */
export async function insertRun(
  pipelineId: string,
  generation: number,
  columns: Columns<typeof syncRuns> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  const times = { startedAt: new Date(), finishedAt: new Date() };
  const row = { id, pipelineId, generation, status: 'SUCCESS' as const, reason: 'request', counters: {} };
  await db.insert(syncRuns).values({ ...row, ...times, ...columns });
  return id;
}

/** Returns the values of a column of the rows that a condition selects. */
export async function valuesOf(table: string, column: string, where: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    `select "${column}" as value from "${table}" where ${where}`,
  ).all();
  return results.map(({ value }) => value);
}

export async function hasRow(table: string, id: string): Promise<boolean> {
  return (await env.DB.prepare(`select 1 from "${table}" where id = ?`).bind(id).first()) !== null;
}
