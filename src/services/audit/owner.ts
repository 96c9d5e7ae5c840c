import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { bareId } from '#src/lib/ids.ts';

/** Organization and project of an object that a request names by its id. */
export interface Owner {
  organizationId: string;
  projectId: string | null;
}

/** Table of each collection whose objects belong to a project, by the collection's name in paths. */
const TABLES: Readonly<Record<string, string>> = {
  pipelines: 'pipelines',
  files: 'files',
  retrievers: 'retrievers',
  traces: 'traces',
  // Session chats in the paths of LlamaCloud's API.
  chat: 'index_chats',
  'data-sinks': 'data_sinks',
  'data-sources': 'data_sources',
  'embedding-model-configs': 'embedding_model_configs',
  configurations: 'configurations',
  'webhook-configs': 'webhook_configs',
  'webhook-deliveries': 'webhook_deliveries',
  parse: 'parse_jobs',
  extract: 'extract_jobs',
  classify: 'classify_jobs',
  split: 'split_jobs',
  sheets: 'sheets_jobs',
  batches: 'batches',
  'agent-data': 'agent_data',
  directories: 'directories',
  'evaluations/question-sets': 'question_sets',
  'evaluations/runs': 'evaluation_runs',
  'evaluations/sweeps': 'evaluation_sweeps',
  'evaluations/truth-sets': 'truth_sets',
  'evaluations/accuracy-runs': 'accuracy_runs',
  // Name of pipelines in the paths of the OpenAI protocol.
  vector_stores: 'pipelines',
  // Names of the same tables in the paths of LlamaCloud's API.
  indexes: 'pipelines',
  'extraction-agents': 'configurations',
  'parse-configurations': 'configurations',
  'batch-processing': 'batches',
  runs: 'extract_jobs',
};

/** Prefix of the stored ids of collections whose objects a request may name with or without a prefix. */
const PREFIXES: Readonly<Record<string, string>> = {
  indexes: '',
  files: '',
  configurations: 'cfg-',
  'webhook-configs': 'whk-',
  parse: 'pjb-',
  extract: 'ext-',
  classify: 'cls-',
  split: 'spl-',
  sheets: 'sht-',
  batches: 'bat-',
  directories: 'dir-',
  'extraction-agents': 'cfg-',
  'parse-configurations': 'cfg-',
  'batch-processing': 'bat-',
  runs: 'ext-',
};

/**
 * Returns the name of the collection to which the id at `place` of a path belongs. Names below `evaluations`
 * include this segment, because `runs` is also the name of another collection.
 */
export function getCollection(segments: readonly string[], place: number): string {
  const collection = segments[place - 1] ?? '';
  if (segments[place - 2] === 'evaluations') return `evaluations/${collection}`;
  // Jobs of some kinds have paths such as `/sheets/jobs/{job_id}` in LlamaCloud's API.
  return collection === 'jobs' && isOwnerKnown(segments[place - 2] ?? '') ? segments[place - 2]! : collection;
}

/** Returns whether `findOwner` can find the owner of an object of this collection. */
export const isOwnerKnown = (collection: string): boolean =>
  ['organizations', 'projects'].includes(collection) || Object.hasOwn(TABLES, collection);

/** Returns the id as it is stored, so that an object has the same id in all its events. */
export function toStoredId(collection: string, id: string): string {
  const prefix = PREFIXES[collection];
  return prefix === undefined ? id : prefix + bareId(id);
}

/**
 * Returns the organization and the project of an object. The request itself may not name them, because the
 * caller can belong to several organizations. Returns `undefined` for a collection without projects, and for an
 * object that does not exist.
 */
export async function findOwner(ctx: Context, collection: string, id: string): Promise<Owner | undefined> {
  if (collection === 'organizations') return { organizationId: id, projectId: null };
  if (collection === 'projects') {
    return ctx.db.get<Owner | undefined>(
      sql`select organization_id as organizationId, id as projectId from projects where id = ${id}`,
    );
  }
  const table = TABLES[collection];
  if (!table) return undefined;
  return ctx.db.get<Owner | undefined>(sql`
    select owner.organization_id as organizationId, owner.id as projectId from ${sql.raw(table)} object
    join projects owner on owner.id = object.project_id where object.id = ${toStoredId(collection, id)}`);
}
