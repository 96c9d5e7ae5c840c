import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { BadRequest, Invalid, NotFound } from '#src/lib/errors.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getFile } from '#src/services/files/files.ts';
import { refusePrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { parseListeners } from '#src/webhook-protocol/parse-listeners.ts';
import { NO_SOURCE, objectInput, sourceOfObject } from '../bucket-input.ts';
import { savedParameters } from '../configuration.ts';
import { announceJob, endpointsOf, idForJob, recordJob } from '../create.ts';
import { sealJobParameters } from '../parameters.ts';
import { NO_OUTPUT_SOURCE, outputPlace, sourceOfOutput } from './bucket-output.ts';

export const newParseJob = z.object({
  file_id: z.string().max(200).nullish(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish()
    .describe('Fetched by the job, instead of a file; so is `input_url` of the parse parameters.'),
  configuration: parseParameters.nullish().describe('Parse parameters; defaults without them.'),
  configuration_id: z.string().nullish().describe('A saved parse configuration, instead of an inline one.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
  user_metadata: z
    .record(z.string().max(100), z.string().max(1000))
    .refine((noted) => Object.keys(noted).length <= 50, { error: 'at most 50 members' })
    .nullish()
    .describe('What the caller notes about the job.'),
});

const ONE_INPUT = 'inputs_invalid: provide either file_id or url, and not both';

export type NewParseJob = z.infer<typeof newParseJob>;

/**
 * Options of job creation. With `overlay` a saved configuration may be combined with an inline one, which it
 * overrides.
 */
interface Creation {
  overlay?: boolean;
}

export async function createParseJob(
  ctx: TenantContext,
  input: z.infer<typeof newParseJob>,
  idempotencyKey: string | null,
  { overlay = false }: Creation = {},
): Promise<ParseJob> {
  if (input.file_id && input.url) throw new BadRequest(ONE_INPUT);
  const chosen = await configurationOf(ctx, input, overlay);
  refusePrivateAddresses(ctx, parseParameters, chosen.parameters, ['body', 'configuration']);
  const { webhook_configurations, ...parameters } = chosen.parameters as ParseParameters;
  const fileInput = await inputOf(ctx, input, parameters);
  await refuseOutput(ctx, input, parameters);
  const listeners = parseListeners({ ...parameters, webhook_configurations });
  const id = await idForJob(ctx, 'parse', idempotencyKey);
  const [fileId, endpoints] = await Promise.all([
    fileIdOf(ctx, input.file_id),
    endpointsOf(ctx, input, listeners),
    announceJob(ctx, 'parse', id),
  ]);
  return recordJob<ParseJob>(ctx, 'parse', id, endpoints, {
    fileInput,
    documentInputType: fileId ? 'file_id' : 'url',
    fileId,
    configuration: await sealJobParameters(ctx, id, given(parameters)),
    configurationId: chosen.id,
    userMetadata: input.user_metadata ?? null,
  });
}

/**
 * Returns the file, URL or bucket object that the request or its parameters name. Exactly one is required.
 */
async function inputOf(
  ctx: TenantContext,
  input: z.infer<typeof newParseJob>,
  parameters: ParseParameters,
): Promise<string> {
  const { file_id, url } = input;
  const { input_url, input_bucket_path, http_proxy } = parameters;
  const named = Object.entries({ file_id, url, input_url, input_bucket_path }).filter(([, value]) => value);
  const [[first, fileInput] = [], [second] = []] = named;
  if (!first || !fileInput) throw new BadRequest(ONE_INPUT);
  const refuse = (name: string, why: string) =>
    Invalid.field([input.configuration_id ? 'configuration_id' : 'configuration', name], why);
  if (second) throw refuse(second, `It is the input of the job, and so is ${first}: give one.`);
  if (http_proxy && !file_id) {
    throw refuse('http_proxy', 'This runtime cannot send requests through a proxy.');
  }
  if (first !== 'input_bucket_path') return fileInput;
  const object = objectInput(fileInput);
  if (!object) throw refuse(first, 'It names no object: bucket/key.');
  if (!(await sourceOfObject(ctx, ctx.projectId, object))) throw refuse(first, NO_SOURCE);
  return object;
}

async function refuseOutput(
  ctx: TenantContext,
  { configuration_id }: z.infer<typeof newParseJob>,
  { output_bucket_path_prefix: path }: ParseParameters,
): Promise<void> {
  if (!path) return;
  const refuse = (why: string) =>
    Invalid.field(
      [configuration_id ? 'configuration_id' : 'configuration', 'output_bucket_path_prefix'],
      why,
    );
  const place = outputPlace(path);
  if (!place) throw refuse('It names no place in a bucket: bucket/prefix.');
  if (!(await sourceOfOutput(ctx, ctx.projectId, place))) throw refuse(NO_OUTPUT_SOURCE);
}

async function configurationOf(ctx: TenantContext, input: z.infer<typeof newParseJob>, overlay: boolean) {
  if (input.configuration && input.configuration_id && !overlay) {
    throw new BadRequest('inputs_invalid: provide configuration or configuration_id, not both');
  }
  if (!input.configuration_id) return { id: null, parameters: input.configuration ?? {} };
  const saved = await savedParameters(ctx, input.configuration_id, 'parse_v2', 'Parse');
  refuseForeignEndpoint(input.configuration ?? {}, saved.parameters);
  return { ...saved, parameters: { ...input.configuration, ...given(saved.parameters) } };
}

/**
 * A user of a saved configuration may not know its API key, and could learn it by sending it to an endpoint
 * of their own.
 */
function refuseForeignEndpoint(inline: ParseParameters, saved: ParseParameters): void {
  if (!saved.hostedllm_key || saved.hostedllm_endpoint || !inline.hostedllm_endpoint) return;
  const why = 'The saved configuration has a hostedllm_key, which is for no endpoint that a request names.';
  throw Invalid.field(['configuration', 'hostedllm_endpoint'], why);
}

async function fileIdOf(ctx: TenantContext, id: string | null | undefined): Promise<string | null> {
  if (!id) return null;
  const file = await getFile(ctx, id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!file) throw new BadRequest(`inputs_invalid: File ${id} not found`);
  if (!file.storageKey) throw new BadRequest(`inputs_invalid: the content of file ${id} has not arrived yet`);
  return file.id;
}

const given = (parameters: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
