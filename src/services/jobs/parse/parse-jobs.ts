import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { BadRequest, Invalid, NotFound } from '#src/lib/errors.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getFile } from '#src/services/files/files.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';
import { findObjectSource, NO_SOURCE, toObjectInput } from '../bucket-input.ts';
import { getSavedParameters } from '../configuration.ts';
import { announceJob, createJobId, insertJob, resolveEndpoints } from '../create.ts';
import { sealJobParameters } from '../parameters.ts';
import { findOutputSource, NO_OUTPUT_SOURCE, parseOutputLocation } from './bucket-output.ts';

export const newParseJob = z.object({
  file_id: z.string().max(200).nullish(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish()
    .describe('URL of the document, which the job downloads. Provide either this or `file_id`.'),
  configuration: parseParameters.nullish().describe('Parse parameters. Defaults apply if they are absent.'),
  configuration_id: z
    .string()
    .nullish()
    .describe('Id of a saved parse configuration, instead of an inline one.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
  user_metadata: z
    .record(z.string().max(100), z.string().max(1000))
    .refine((noted) => Object.keys(noted).length <= 50, { error: 'must have at most 50 keys' })
    .nullish()
    .describe('Metadata of the caller. The job returns it unchanged.'),
});

const ONE_INPUT = 'inputs_invalid: provide either file_id or url, and not both';

export type NewParseJob = z.infer<typeof newParseJob>;

/**
 * If `overlay` is true, a request may combine an inline configuration with a saved configuration, whose
 * values take precedence.
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
  const chosen = await chooseParseConfiguration(ctx, input, overlay);
  rejectPrivateAddresses(ctx, parseParameters, chosen.parameters, ['body', 'configuration']);
  const { webhook_configurations, ...parameters } = chosen.parameters as ParseParameters;
  const fileInput = await chooseInput(ctx, input, parameters);
  await refuseOutput(ctx, input, parameters);
  const listeners = listParseEndpoints({ ...parameters, webhook_configurations });
  const id = await createJobId(ctx, 'parse', idempotencyKey);
  const [fileId, endpoints] = await Promise.all([
    resolveFileId(ctx, input.file_id),
    resolveEndpoints(ctx, input, listeners),
    announceJob(ctx, 'parse', id),
  ]);
  return insertJob<ParseJob>(ctx, 'parse', id, endpoints, {
    fileInput,
    documentInputType: fileId ? 'file_id' : 'url',
    fileId,
    configuration: await sealJobParameters(ctx, id, omitUnset(parameters)),
    configurationId: chosen.id,
    userMetadata: input.user_metadata ?? null,
  });
}

/**
 * Returns the file id, URL or bucket object that the request or its parameters name. Throws unless exactly
 * one is named.
 */
async function chooseInput(
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
  if (second)
    throw refuse(second, `Both ${first} and ${second} name an input of the job. Provide only one of them.`);
  if (http_proxy && !file_id) {
    throw refuse('http_proxy', 'Sluice cannot send requests through a proxy. Remove http_proxy.');
  }
  if (first !== 'input_bucket_path') return fileInput;
  const object = toObjectInput(fileInput);
  if (!object) throw refuse(first, 'Must name an object as bucket/key.');
  if (!(await findObjectSource(ctx, ctx.projectId, object))) throw refuse(first, NO_SOURCE);
  return object;
}

/** Throws if the parameters name an output location that no data source of the project can write to. */
export async function refuseOutput(
  ctx: TenantContext,
  { configuration_id }: Pick<NewParseJob, 'configuration_id'>,
  { output_bucket_path_prefix: path }: ParseParameters,
): Promise<void> {
  if (!path) return;
  const refuse = (why: string) =>
    Invalid.field(
      [configuration_id ? 'configuration_id' : 'configuration', 'output_bucket_path_prefix'],
      why,
    );
  const place = parseOutputLocation(path);
  if (!place) throw refuse('Must name a location in a bucket as bucket/prefix.');
  if (!(await findOutputSource(ctx, ctx.projectId, place))) throw refuse(NO_OUTPUT_SOURCE);
}

/** Returns the inline or saved parse parameters of a request. */
export async function chooseParseConfiguration(
  ctx: TenantContext,
  input: Pick<NewParseJob, 'configuration' | 'configuration_id'>,
  overlay: boolean,
) {
  if (input.configuration && input.configuration_id && !overlay) {
    throw new BadRequest('inputs_invalid: provide configuration or configuration_id, not both');
  }
  if (!input.configuration_id) return { id: null, parameters: input.configuration ?? {} };
  const saved = await getSavedParameters(ctx, input.configuration_id, 'parse_v2', 'Parse');
  refuseForeignEndpoint(input.configuration ?? {}, saved.parameters);
  return { ...saved, parameters: { ...input.configuration, ...omitUnset(saved.parameters) } };
}

/**
 * Rejects an inline `hostedllm_endpoint` if the saved configuration has an API key but no endpoint. Otherwise
 * a user could learn the key by sending it to their own endpoint.
 */
function refuseForeignEndpoint(inline: ParseParameters, saved: ParseParameters): void {
  if (!saved.hostedllm_key || saved.hostedllm_endpoint || !inline.hostedllm_endpoint) return;
  const why =
    'The hostedllm_key of the saved configuration is not sent to an endpoint from a request. Save the endpoint too.';
  throw Invalid.field(['configuration', 'hostedllm_endpoint'], why);
}

async function resolveFileId(ctx: TenantContext, id: string | null | undefined): Promise<string | null> {
  if (!id) return null;
  const file = await getFile(ctx, id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!file) throw new BadRequest(`inputs_invalid: File ${id} not found`);
  if (!file.storageKey)
    throw new BadRequest(`inputs_invalid: the content of file ${id} has not been uploaded yet`);
  return file.id;
}

export const omitUnset = (parameters: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
