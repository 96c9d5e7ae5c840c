import type { z } from 'zod';
import { toClientStatus } from '#src/api/compat/shared/job-status.ts';
import { presentFile } from '#src/api/v1/files/files.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import type { ExtractConfiguration } from '#src/extraction/configuration.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { bareId } from '#src/lib/ids.ts';
import { findFiles } from '#src/services/files/files.ts';
import { type Agent, getAgentId } from '#src/services/jobs/extraction/agents.ts';
import { readResult } from '#src/services/jobs/extraction/read-result.ts';
import { removeSavedParsing } from '#src/services/jobs/parameters.ts';
import type { agentBody, jobBody, resultBody, runBody } from './bodies.ts';
import { presentConfig } from './config.ts';

/** Clients know no status for a cancelled run, so it is reported as `ERROR`. */
const RUN_STATUSES = { ...toClientStatus, CANCELLED: 'ERROR' } as const;

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

/**
 * Converts jobs to the clients' format. Each job has the schema and configuration that it uses, which may
 * override those of its agent.
 */
export async function presentJobs(
  ctx: TenantContext,
  rows: readonly ExtractJob[],
  agentName: string,
): Promise<z.input<typeof jobBody>[]> {
  const files = await loadFiles(ctx, rows);
  return rows.map((row) => {
    const parameters = removeSavedParsing(row.configuration) as ExtractConfiguration;
    const { configurationId, projectId } = row;
    const agent = { id: getAgentId(row), configurationId, name: agentName, projectId, parameters };
    return {
      id: bareId(row.id),
      extraction_agent: presentAgent(agent),
      status: toClientStatus[row.status],
      error: row.errorMessage,
      file_id: row.fileId,
      file: presentJobFile(files, row),
    };
  });
}

export async function presentJob(
  ctx: TenantContext,
  row: ExtractJob,
  agentName: string,
): Promise<z.input<typeof jobBody>> {
  const [job] = await presentJobs(ctx, [row], agentName);
  return job!;
}

type Files = Awaited<ReturnType<typeof findFiles>>;

const loadFiles = (ctx: TenantContext, rows: readonly ExtractJob[]): Promise<Files> =>
  findFiles(
    ctx,
    rows.flatMap(({ fileId }) => fileId ?? []),
  );

function presentJobFile(files: Files, { fileId }: ExtractJob) {
  const file = fileId ? files.get(fileId) : undefined;
  return file ? presentFile(file) : null;
}

/**
 * Returns the extraction run of a job in the clients' format. Each job has exactly one run, with the same id.
 */
export async function presentResult(
  ctx: TenantContext,
  row: ExtractJob,
): Promise<z.input<typeof resultBody>> {
  return { run_id: bareId(row.id), extraction_agent_id: getAgentId(row), ...(await loadOutcome(ctx, row)) };
}

export async function presentRuns(
  ctx: TenantContext,
  rows: readonly ExtractJob[],
): Promise<z.input<typeof runBody>[]> {
  const files = await loadFiles(ctx, rows);
  return inParallel(rows, (row) => presentOneRun(ctx, row, files));
}

export async function presentRun(ctx: TenantContext, row: ExtractJob): Promise<z.input<typeof runBody>> {
  const [run] = await presentRuns(ctx, [row]);
  return run!;
}

async function presentOneRun(
  ctx: TenantContext,
  row: ExtractJob,
  files: Files,
): Promise<z.input<typeof runBody>> {
  const { data_schema, ...settings } = removeSavedParsing(row.configuration) as ExtractConfiguration;
  return {
    id: bareId(row.id),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    project_id: row.projectId,
    extraction_agent_id: getAgentId(row),
    data_schema,
    config: presentConfig(settings),
    file_id: row.fileId,
    file: presentJobFile(files, row),
    status: RUN_STATUSES[row.status],
    error: row.errorMessage,
    job_id: bareId(row.id),
    ...(await loadOutcome(ctx, row)),
    from_ui: false,
  };
}

type Outcome = Pick<z.input<typeof resultBody>, 'data' | 'extraction_metadata'>;

/** Returns the extracted data; null until the job has completed successfully. */
async function loadOutcome(ctx: TenantContext, row: ExtractJob): Promise<Outcome> {
  const kept = await readResult(ctx, row);
  if (!kept) return { data: null, extraction_metadata: {} };
  const { field_metadata, ...metadata } = kept.metadata as { field_metadata?: Record<string, unknown> };
  return {
    data: kept.result as Outcome['data'],
    extraction_metadata: {
      ...metadata,
      // Metadata exists either per field of the document, or as a list per page or row. Clients receive the
      // one that is present.
      field_metadata: Object.values(field_metadata ?? {}).find((each) => each) ?? {},
      usage: { num_pages_extracted: row.pagesExtracted },
    },
  };
}
