import type { Context } from '#src/context/context.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, restoreSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';

const ring = (ctx: Context) =>
  parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Encrypts the secrets in parse parameters before they are stored in a job's row. */
export function sealJobParameters(
  ctx: Context,
  jobId: string,
  parameters: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const kept = restoreSecrets(parseParameters, parameters, {}, ['body', 'configuration']);
  return sealSecrets(parseParameters, kept, ring(ctx), sealedPlaces.jobConfiguration(jobId));
}

export function openJobParameters(
  ctx: Context,
  job: { id: string; configuration: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  return openSecrets(job.configuration, ring(ctx), sealedPlaces.jobConfiguration(job.id));
}

interface WithParsing {
  /**
   * Parse parameters of `parse_config_id` at the time of creation, with encrypted secrets. Later changes to
   * the saved configuration do not affect the job.
   */
  parse_parameters?: Record<string, unknown>;
}
const getParsingPlace = (jobId: string) => `${sealedPlaces.jobConfiguration(jobId)}/parse_parameters`;

/** Adds the saved parse parameters to a job's configuration, with encrypted secrets. */
export async function addSavedParsing<Configuration extends object>(
  ctx: Context,
  jobId: string,
  configuration: Configuration,
  parsing: Record<string, unknown> | undefined,
): Promise<Configuration & WithParsing> {
  if (!parsing) return configuration;
  const sealed = await sealSecrets(parseParameters, parsing, ring(ctx), getParsingPlace(jobId));
  return { ...configuration, parse_parameters: sealed };
}

export async function openAddedParsing(
  ctx: Context,
  job: { id: string; configuration: WithParsing },
): Promise<Record<string, unknown>> {
  const { parse_parameters: sealed } = job.configuration;
  return sealed ? openSecrets(sealed, ring(ctx), getParsingPlace(job.id)) : {};
}

/** Returns the configuration as its creator sent it, without the saved parse parameters. */
export function removeSavedParsing({ parse_parameters: _, ...rest }: Record<string, unknown>) {
  return rest;
}
