import { and, count, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { afterKey, iteratePages } from '#src/db/paging.ts';
import { type Configuration, type ExtractJob, extractJobs } from '#src/db/schema/index.ts';
import type { ExtractConfiguration } from '#src/extraction/configuration.ts';
import { Conflict, DomainError, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';
import {
  getConfiguration,
  getConfigurationPage,
  listConfigurations,
  openConfiguration,
  saveConfiguration,
  updateConfiguration,
} from '../configurations.ts';
import { requireValidSchema } from './extract-jobs.ts';

/**
 * Extraction agent of LlamaCloud clients. It is a saved configuration of extract jobs, or the default agent
 * of a project, to which jobs without a saved configuration belong.
 */
export interface Agent {
  /** UUID of the saved configuration. The default agent has the id of its project. */
  id: string;
  /** Id of the saved configuration. Null for the default agent, which is not stored. */
  configurationId: string | null;
  name: string;
  projectId: string;
  parameters: ExtractConfiguration;
  row?: Configuration;
}

const LATEST = { product_type: ['extract_v2' as const], latest_only: true };

export function buildDefaultAgent(projectId: string): Agent {
  const parameters = { data_schema: {}, tier: 'agentic', parse_tier: 'agentic_plus' } as const;
  return { id: projectId, configurationId: null, name: 'default', projectId, parameters };
}

async function openAgent(ctx: TenantContext, row: Configuration): Promise<Agent> {
  const { product_type: _, ...parameters } = await openConfiguration(ctx, row);
  return {
    id: bareId(row.id),
    configurationId: row.id,
    name: row.name,
    projectId: row.projectId,
    parameters: parameters as ExtractConfiguration,
    row,
  };
}

/**
 * Returns an agent, and the caller's context within the agent's project. Throws NotFound if the agent does
 * not exist or the caller may not use it.
 */
export async function findAgent(
  ctx: TenantContext,
  id: string,
): Promise<{ agent: Agent; within: TenantContext }> {
  const row = await getConfiguration(ctx, id).catch(returnNothing);
  if (row && row.productType !== 'extract_v2') throw new NotFound('Extraction agent', id);
  const projectId = row?.projectId ?? id;
  const within = await resolveScope(ctx, ctx.actor, { project_id: projectId }).catch(returnNothing);
  if (!within || !(await isWithinScope(ctx, within))) throw new NotFound('Extraction agent', id);
  const agent = row ? await openAgent(ctx, row) : buildDefaultAgent(projectId);
  // The request named no project, so it can still read resources of every project that the caller can access.
  const { onlyProjectId, onlyOrganizationId } = ctx;
  return { agent, within: { ...within, onlyProjectId, onlyOrganizationId } };
}

/**
 * Returns `undefined` for errors about resources that do not exist or that the caller may not see. Throws
 * other errors again.
 */
function returnNothing(error: unknown): undefined {
  if (error instanceof DomainError && ['not_found', 'forbidden'].includes(error.code)) return undefined;
  throw error;
}

/** Returns the newest agent with this name. Throws NotFound if the project has none. */
export async function getAgentByName(ctx: TenantContext, name: string): Promise<Agent> {
  const row = await findLatest(ctx, name);
  if (!row) throw new NotFound('Extraction agent', name);
  return openAgent(ctx, row);
}

async function findLatest(ctx: TenantContext, name: string): Promise<Configuration | undefined> {
  const { items } = await getConfigurationPage(ctx, { ...LATEST, name, page_size: 1 });
  return items[0];
}

export async function* listAgents(ctx: TenantContext): AsyncGenerator<Agent[]> {
  for await (const rows of listConfigurations(ctx, LATEST)) {
    yield await Promise.all(rows.map((row) => openAgent(ctx, row)));
  }
}

/** Saves a new agent. Throws Conflict if the project already has an agent with this name. */
export async function createAgent(
  ctx: TenantContext,
  name: string,
  parameters: ExtractConfiguration,
): Promise<Agent> {
  requireValidSchema(parameters.data_schema);
  if (await findLatest(ctx, name)) {
    throw new Conflict(
      `An extraction agent named ${JSON.stringify(name)} already exists. Choose another name.`,
    );
  }
  const saved = { name, parameters: { product_type: 'extract_v2' as const, ...parameters } };
  return openAgent(ctx, await saveConfiguration(ctx, saved));
}

/** Changes the parameters of an agent. Parameters that `changes` does not contain stay unchanged. */
export async function updateAgent(
  ctx: TenantContext,
  agent: Agent,
  changes: ExtractConfiguration,
): Promise<Agent> {
  requireValidSchema(changes.data_schema);
  const parameters = { product_type: 'extract_v2' as const, ...agent.parameters, ...changes };
  return openAgent(ctx, await updateConfiguration(ctx, agent.id, { parameters }));
}

export const getAgentId = ({ configurationId, projectId }: ExtractJob): string =>
  configurationId ? bareId(configurationId) : projectId;

/** Returns the name of the agent that a job belongs to, or the agent's id if the agent was deleted. */
export async function getAgentName(ctx: TenantContext, job: ExtractJob): Promise<string> {
  if (!job.configurationId) return 'default';
  const saved = await getConfiguration(ctx, job.configurationId).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  return saved?.name ?? getAgentId(job);
}

export function listAgentJobs(ctx: TenantContext, agent: Agent): AsyncGenerator<ExtractJob[]> {
  return iteratePages(
    (after, limit) =>
      selectJobs(
        ctx,
        and(whereAgent(agent), afterKey([extractJobs.createdAt, extractJobs.id], after, 'desc')),
      ).limit(limit),
    (row) => [row.createdAt.getTime(), row.id],
  );
}

/** Returns a page of an agent's jobs, newest first, and the total number of its jobs. */
export async function pageAgentJobs(
  ctx: TenantContext,
  agent: Agent,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ rows: ExtractJob[]; total: number }> {
  const where = whereAgent(agent);
  const [rows, [total]] = await ctx.db.batch([
    selectJobs(ctx, where).limit(limit).offset(skip),
    ctx.db.select({ count: count() }).from(extractJobs).where(where),
  ]);
  return { rows, total: total!.count };
}

const selectJobs = (ctx: TenantContext, where: SQL | undefined) =>
  ctx.db
    .select()
    .from(extractJobs)
    .where(where)
    .orderBy(desc(extractJobs.createdAt), desc(extractJobs.id))
    .$dynamic();

function whereAgent({ projectId, configurationId }: Agent): SQL | undefined {
  const { configurationId: column } = extractJobs;
  return and(
    eq(extractJobs.projectId, projectId),
    isInNoDeletedBatch(extractJobs.batchId),
    configurationId ? eq(column, configurationId) : isNull(column),
  );
}
