import type { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import type { Agent } from '#src/services/jobs/extraction/agents.ts';
import { startExtractJob } from '#src/services/jobs/extraction/extract-jobs.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { type dataSchema, readSchema } from './bodies.ts';
import { type ExtractConfig, toSettings } from './config.ts';

export interface Overrides {
  data_schema_override?: z.output<typeof dataSchema> | null | undefined;
  config_override?: ExtractConfig | null | undefined;
  webhook_configurations?: WebhookConfiguration[] | null | undefined;
}

/** Starts a job of the agent for a file, with the given overrides. */
export function startJob(
  ctx: TenantContext,
  agent: Agent,
  fileId: string,
  overrides: Overrides,
  idempotencyKey: string | null,
): Promise<ExtractJob> {
  const { data_schema_override: schema, config_override: config } = overrides;
  const configuration = {
    ...agent.parameters,
    ...(schema && { data_schema: readSchema(schema, 'data_schema_override') }),
    ...(config && toSettings(config)),
  };
  const chosen = Promise.resolve({ configurationId: agent.configurationId, configuration });
  const input = { file_input: fileId, webhook_configurations: overrides.webhook_configurations };
  return startExtractJob(ctx, chosen, input, idempotencyKey);
}
