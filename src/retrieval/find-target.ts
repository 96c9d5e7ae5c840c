import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context/context.ts';
import { prepareOnce } from '#src/db/prepare-once.ts';
import { readUntilWrite } from '#src/db/reads-until-write.ts';
import {
  apiKeys,
  hasChunkMetadata,
  hasDisabledChunks,
  hasExcludedKeys,
  members,
  pipelineIndexes,
  pipelineMembers,
  pipelines,
  projects,
  traceSettings,
} from '#src/db/schema/index.ts';
import type { ChunkMetadata, DisabledChunks } from '#src/ports/index-types.ts';
import { isPlayground } from '#src/services/pipelines/pipelines.ts';
import { KEY_COLUMNS, type KeyRow } from '#src/services/tenancy/api-keys.ts';
import { isDefaultProject, isKeyMembership } from '#src/services/tenancy/request-scope.ts';
import type { FoundTarget } from './retrieval.ts';

const owners = alias(projects, 'owners');
const managed = alias(pipelines, 'managed');
const managedOwners = alias(projects, 'managed_owners');
const sourceId = sql`coalesce(${managed.id}, ${pipelines.id})`;

const onOwner = eq(owners.id, pipelines.projectId);
const onManaged = and(eq(managed.id, pipelines.managedPipelineId), eq(pipelines.pipelineType, 'PLAYGROUND'));
const onManagedOwner = eq(managedOwners.id, managed.projectId);
const onTracing = eq(traceSettings.projectId, pipelines.projectId);
const onLiveIndex = and(eq(pipelineIndexes.pipelineId, sourceId), eq(pipelineIndexes.state, 'live'));

const COLUMNS = {
  pipeline: pipelines,
  managed,
  index: pipelineIndexes,
  tracing: traceSettings,
  organizationId: owners.organizationId,
  managedOrganizationId: managedOwners.organizationId,
  hasExclusions: sql<number>`exists (select 1 from pipeline_members
    where pipeline_id = ${sourceId} and (${hasExcludedKeys}))`,
  disabled: sql<string>`(select json_group_array(json_object('documentId', document_id, 'hashes', json(disabled_chunks)))
    from pipeline_members where pipeline_id = ${sourceId} and ${hasDisabledChunks})`,
  chunkMetadata: sql<string>`(select json_group_array(json_object('documentId', document_id, 'chunks', json(chunk_metadata)))
    from pipeline_members where pipeline_id = ${sourceId} and ${hasChunkMetadata})`,
};

interface Row {
  pipeline: typeof pipelines.$inferSelect;
  managed: typeof pipelines.$inferSelect | null;
  index: typeof pipelineIndexes.$inferSelect | null;
  tracing: typeof traceSettings.$inferSelect | null;
  organizationId: string;
  managedOrganizationId: string | null;
  hasExclusions: number;
  /** Disabled chunks as JSON. */
  disabled: string;
  /** Metadata of single chunks as JSON. */
  chunkMetadata: string;
}

const selectTarget = prepareOnce((db) =>
  db
    .select(COLUMNS)
    .from(pipelines)
    .innerJoin(owners, onOwner)
    .leftJoin(managed, onManaged)
    .leftJoin(managedOwners, onManagedOwner)
    .leftJoin(pipelineIndexes, onLiveIndex)
    .leftJoin(traceSettings, onTracing)
    .where(eq(pipelines.id, sql.placeholder('pipelineId')))
    .limit(1)
    .prepare(),
);

/** Reads the pipeline and everything else that a query needs, in one database query. */
export async function findTarget(ctx: Context, pipelineId: string): Promise<FoundTarget> {
  const [found] = await selectTarget(ctx.db).execute({ pipelineId });
  return found && toTarget(found);
}

/**
 * Works like `findTarget`, and also reads the API key with the given hash in the same database query. Both
 * results are undefined if the key does not exist.
 */
export async function findTargetByKey(
  ctx: Context,
  pipelineId: string,
  hash: string,
): Promise<{ row: KeyRow | undefined; found: FoundTarget }> {
  const row = await readUntilWrite(ctx.db, {
    key: `target ${pipelineId} ${hash}`,
    tables: [apiKeys, members, projects, pipelines, pipelineIndexes, pipelineMembers, traceSettings],
    read: async () => (await selectTargetByKey(ctx.db).execute({ pipelineId, hash }))[0],
  });
  if (!row) return { row: undefined, found: undefined };
  const { pipeline, organizationId } = row;
  return {
    row,
    found: pipeline && organizationId ? toTarget({ ...row, pipeline, organizationId }) : undefined,
  };
}

const selectTargetByKey = prepareOnce((db) =>
  db
    .select({ ...KEY_COLUMNS, ...COLUMNS })
    .from(apiKeys)
    .leftJoin(members, isKeyMembership(apiKeys))
    .leftJoin(projects, isDefaultProject(apiKeys))
    .leftJoin(pipelines, eq(pipelines.id, sql.placeholder('pipelineId')))
    .leftJoin(owners, onOwner)
    .leftJoin(managed, onManaged)
    .leftJoin(managedOwners, onManagedOwner)
    .leftJoin(pipelineIndexes, onLiveIndex)
    .leftJoin(traceSettings, onTracing)
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .limit(1)
    .prepare(),
);

function toTarget(found: Row): FoundTarget {
  const { pipeline, organizationId } = found;
  return {
    pipeline,
    organizationId,
    ...(isPlayground(pipeline)
      ? { source: found.managed ?? undefined, sourceOrganizationId: found.managedOrganizationId }
      : { source: pipeline, sourceOrganizationId: organizationId }),
    index: found.index ?? undefined,
    tracing: found.tracing ?? undefined,
    hasExclusions: found.hasExclusions === 1,
    edits: {
      disabled: JSON.parse(found.disabled) as DisabledChunks[],
      chunkMetadata: JSON.parse(found.chunkMetadata) as ChunkMetadata[],
    },
  };
}
