import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#src/db/schema/index.ts';
import { type Row, restoredAs } from './restored-as.ts';
import { type Reference, type Shape, shapeOf } from './shapes.ts';

/** A table whose rows a backup holds. */
export interface Carried {
  table: SQLiteTable;
  shape: Shape;
  /** Its rows that a project's own backup holds; absent: only that of the whole installation has the table. */
  within?: (projectId: string) => SQL;
  /** Columns that name a row without the database watching over it. */
  named: Reference[];
  /** Columns that say where in the bucket something is. */
  places: string[];
  /** A new installation has rows of its own here; those of the backup take their place. */
  isThereFromStart: boolean;
  /** What becomes of a row that speaks of work under way, or of what is made anew. */
  restored?: (row: Row, isHeld: boolean) => Row;
}

const ofProject = (projectId: string) => sql`project_id = ${projectId}`;
const ofPipelines = (projectId: string) =>
  sql`pipeline_id in (select id from pipelines where project_id = ${projectId})`;
const ofChats = (projectId: string) =>
  sql`(${ofPipelines(projectId)} or retriever_id in (select id from retrievers where project_id = ${projectId}))`;

function carried(table: SQLiteTable, more: Partial<Omit<Carried, 'table' | 'shape'>> = {}): Carried {
  return { table, shape: shapeOf(table), named: [], places: [], isThereFromStart: false, ...more };
}

const jobNames = [{ column: 'file_id', table: 'files' }];
const parsedJobNames = [...jobNames, { column: 'parse_job_id', table: 'parse_jobs' }];

/**
 * Every table that a backup holds, what others refer to first: rows are restored in this order and read in the reverse
 * one, so that whatever a row refers to is read after it. A new table stands here or in `LEFT_OUT`; a test compares.
 */
export const CARRIED: readonly Carried[] = [
  carried(schema.organizations, { isThereFromStart: true }),
  // Of a project: whoever chatted in it. Such a row says nothing but that somebody is.
  carried(schema.users, {
    isThereFromStart: true,
    within: (id) => sql`id in (select user_id from chat_sessions where ${ofChats(id)})`,
  }),
  carried(schema.members, { isThereFromStart: true }),
  carried(schema.projects, { isThereFromStart: true, within: (id) => sql`id = ${id}` }),
  carried(schema.apiKeys, { isThereFromStart: true }),
  carried(schema.bootstraps, { isThereFromStart: true }),

  carried(schema.dataSinks, { within: ofProject }),
  carried(schema.dataSources, { within: ofProject }),
  carried(schema.embeddingModelConfigs, { within: ofProject }),
  carried(schema.webhookConfigs, { within: ofProject }),
  carried(schema.configurations, { within: ofProject }),
  carried(schema.modelSettings, { within: ofProject }),

  carried(schema.pipelines, {
    within: ofProject,
    named: [{ column: 'managed_pipeline_id', table: 'pipelines' }],
  }),
  carried(schema.retrievers, {
    within: ofProject,
    named: [{ column: 'pipelines', table: 'pipelines', member: 'pipeline_id' }],
  }),
  carried(schema.files, { within: ofProject, places: ['storage_key', 'pending_key'] }),
  carried(schema.parses, { within: ofProject }),
  carried(schema.pipelineDataSources, { within: ofPipelines, restored: restoredAs.pipelineDataSource }),
  carried(schema.pipelineMembers, { within: ofPipelines, restored: restoredAs.pipelineMember }),
  carried(schema.syncRuns, { within: ofPipelines, restored: restoredAs.syncRun }),

  carried(schema.parseJobs, { within: ofProject, named: jobNames, restored: restoredAs.job }),
  carried(schema.extractJobs, { within: ofProject, named: parsedJobNames, restored: restoredAs.job }),
  carried(schema.classifyJobs, { within: ofProject, named: parsedJobNames, restored: restoredAs.job }),
  carried(schema.webhookDeliveries, { within: ofProject, restored: restoredAs.webhookDelivery }),

  carried(schema.chatSessions, { within: ofChats }),
  carried(schema.chatMessages, {
    within: (id) => sql`session_id in (select id from chat_sessions where ${ofChats(id)})`,
  }),
  carried(schema.usageRecords, { within: ofProject }),
  carried(schema.modelUsage, { within: ofProject }),
  carried(schema.dailyActivity, { within: ofProject }),
];

/** Tables that no backup holds, and why. */
export const LEFT_OUT: readonly { table: SQLiteTable; why: string }[] = [
  { table: schema.sessions, why: 'Their cookies are signed with the secret of the old installation.' },
  { table: schema.chatStreams, why: 'The answers that they lead to are in the memory of objects.' },
  { table: schema.deadLetters, why: 'The work that they name is begun anew by the restore.' },
  { table: schema.pipelineIndexes, why: 'Indexes are built anew.' },
  { table: schema.indexedDocuments, why: 'Indexes are built anew.' },
  { table: schema.projectStorage, why: 'The files that are restored are counted.' },
  { table: schema.projectPages, why: 'The pages of the day follow from the records of usage.' },
];

const byName = new Map(CARRIED.map((each) => [each.shape.name, each]));
export const CARRIED_NAMES = [...byName.keys()] as [string, ...string[]];

/** The table of that name in a backup of this project (null: of all); undefined: it has none. */
export function carriedTable(name: string, project: string | null): Carried | undefined {
  const found = byName.get(name);
  return project === null || found?.within ? found : undefined;
}

export const carriedTables = (project: string | null) =>
  CARRIED.filter((each) => project === null || each.within);
