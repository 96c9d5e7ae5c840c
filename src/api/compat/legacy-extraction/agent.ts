import type { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { Configuration } from '#src/db/schema/index.ts';
import type { ExtractConfiguration } from '#src/extraction/configuration.ts';
import { DomainError, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { getConfiguration, openConfiguration } from '#src/services/jobs/configurations.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import type { agentBody } from './bodies.ts';
import { presentConfig } from './config.ts';

/** A saved configuration for extract jobs, or the default agent of a project, under which jobs go that have none. */
export interface Agent {
  /** The uuid of the configuration; the default agent has that of its project. */
  id: string;
  /** Null for the default agent, which is stored nowhere. */
  configurationId: string | null;
  name: string;
  projectId: string;
  parameters: ExtractConfiguration;
  row?: Configuration;
}

export function defaultAgent(projectId: string): Agent {
  const parameters = { data_schema: {}, tier: 'agentic', parse_tier: 'agentic_plus' } as const;
  return { id: projectId, configurationId: null, name: 'default', projectId, parameters };
}

/** An agent in the caller's reach, and the caller acting in its project. */
export async function findAgent(
  ctx: TenantContext,
  id: string,
): Promise<{ agent: Agent; within: TenantContext }> {
  const row = await getConfiguration(ctx, id).catch(noneOfThese);
  if (row && row.productType !== 'extract_v2') throw new NotFound('Extraction agent', id);
  const projectId = row?.projectId ?? id;
  const within = await resolveScope(ctx, ctx.actor, { project_id: projectId }).catch(noneOfThese);
  if (!within || !reachesProject(ctx, within)) throw new NotFound('Extraction agent', id);
  const agent = row ? await agentOf(ctx, row) : defaultAgent(projectId);
  // The request named no project, so it reaches what it reached before.
  const { onlyProjectId, onlyOrganizationId } = ctx;
  return { agent, within: { ...within, onlyProjectId, onlyOrganizationId } };
}

/** What is out of reach is not there. */
function noneOfThese(error: unknown): undefined {
  if (error instanceof DomainError && ['not_found', 'forbidden'].includes(error.code)) return undefined;
  throw error;
}

function reachesProject(ctx: TenantContext, { projectId, organizationId }: TenantContext): boolean {
  if (ctx.onlyProjectId && ctx.onlyProjectId !== projectId) return false;
  return !ctx.onlyOrganizationId || ctx.onlyOrganizationId === organizationId;
}

export async function agentOf(ctx: TenantContext, row: Configuration): Promise<Agent> {
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

export function presentAgent(agent: Agent): z.input<typeof agentBody> {
  const { data_schema, ...settings } = agent.parameters;
  return {
    id: agent.id,
    name: agent.name,
    project_id: agent.projectId,
    data_schema,
    config: presentConfig(settings),
    custom_configuration: agent.configurationId ? null : 'default',
    created_at: agent.row?.createdAt.toISOString() ?? null,
    updated_at: agent.row?.updatedAt.toISOString() ?? null,
  };
}
