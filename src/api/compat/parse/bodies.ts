import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import {
  contentMetadata,
  getTier,
  imagesMetadata,
  PARSE_STATUSES,
  structuredBody,
  usageBody,
} from '#src/api/v2/parse.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { type NewParseJob, newParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { getParseFacts } from '#src/services/jobs/parse/results/facts.ts';
import { parseOptions, refuseContradictions, toParameters } from './parameters.ts';

const { file_id, url, configuration_id, user_metadata, webhook_configurations, webhook_configuration_ids } =
  newParseJob.shape;

/** Request body for a new parse job, in the format of LlamaCloud's clients. */
export const clientParse = z
  .object({
    ...parseOptions,
    file_id,
    source_url: url,
    configuration_id,
    client_name: withoutEffect(z.string().nullish(), 'All clients are served alike.'),
    user_metadata,
    webhook_configurations,
    webhook_configuration_ids,
  })
  .superRefine(refuseContradictions);

/** Converts a client's request body to Sluice's format of a new parse job. */
export function toNewParseJob(asked: z.infer<typeof clientParse>): NewParseJob {
  const { source_url, ...rest } = asked;
  const { file_id, configuration_id, user_metadata, webhook_configurations, webhook_configuration_ids } =
    rest;
  return {
    file_id,
    url: source_url,
    configuration: toParameters(asked),
    configuration_id,
    user_metadata,
    webhook_configurations,
    webhook_configuration_ids,
  };
}

export const clientParseJob = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status: z.enum(PARSE_STATUSES),
    name: z.string().nullable(),
    tier: z.string().nullable(),
    error_message: z.string().nullable(),
    usage: usageBody.nullable(),
    user_metadata: z.record(z.string(), z.string()).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ClientParseJob' });

type Job = z.input<typeof clientParseJob>;

export async function presentJobs(ctx: TenantContext, rows: ParseJob[]): Promise<Job[]> {
  const facts = await getParseFacts(ctx, rows);
  return rows.map((row, at) => {
    const { name, credits } = facts[at]!;
    return {
      id: row.id,
      project_id: row.projectId,
      status: row.status,
      name,
      tier: getTier(row),
      error_message: row.errorMessage,
      usage: credits === null ? null : { credits },
      user_metadata: row.userMetadata,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  });
}

/** Converts a parse job to the clients' format. `warnings` lists the request fields that have no effect. */
export async function presentJob(ctx: TenantContext, row: ParseJob, warnings: Warning[] = []) {
  const [job] = await presentJobs(ctx, [row]);
  return { ...job!, ...(warnings.length > 0 && { warnings }) };
}

const pages = z.object({ pages: z.array(z.looseObject({ page_number: z.number().int().min(1) })) });
const map = z.record(z.string(), z.unknown());

/** Parse job with those parts of its result that the client requested. */
export const clientParseResult = z
  .object({
    job: clientParseJob,
    markdown: pages.optional(),
    text: pages.optional(),
    items: pages.optional(),
    metadata: pages.extend({ document: map.optional() }).optional(),
    markdown_full: z.string().optional(),
    text_full: z.string().optional(),
    structured: structuredBody.optional(),
    job_metadata: map.optional(),
    raw_parameters: map.optional(),
    result_content_metadata: z.record(z.string(), contentMetadata).optional(),
    images_content_metadata: imagesMetadata.optional(),
    warnings: z.array(z.object({ field: z.string(), reason: z.string() })).optional(),
  })
  .meta({ id: 'ClientParseResult' });
