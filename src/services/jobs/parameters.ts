import type { Context } from '#src/context/context.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { keepMasked, openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';

const ring = (ctx: Context) => keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Encrypts the secrets in parse parameters before they are stored in a job's row. */
export function sealJobParameters(
  ctx: Context,
  jobId: string,
  parameters: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const kept = keepMasked(parseParameters, parameters, {}, ['body', 'configuration']);
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
   * Parameters of `parse_config_id` at creation, with encrypted secrets. Later changes of the saved
   * configuration do not affect the job.
   */
  parse_parameters?: Record<string, unknown>;
}
const parsingPlace = (jobId: string) => `${sealedPlaces.jobConfiguration(jobId)}/parse_parameters`;

/**
 * Returns a job's configuration as it is stored, with the saved parse parameters inside and their secrets
 * encrypted.
 */
export async function withParsing<Configuration extends object>(
  ctx: Context,
  jobId: string,
  configuration: Configuration,
  parsing: Record<string, unknown> | undefined,
): Promise<Configuration & WithParsing> {
  if (!parsing) return configuration;
  const sealed = await sealSecrets(parseParameters, parsing, ring(ctx), parsingPlace(jobId));
  return { ...configuration, parse_parameters: sealed };
}

export async function openParsing(
  ctx: Context,
  job: { id: string; configuration: WithParsing },
): Promise<Record<string, unknown>> {
  const { parse_parameters: sealed } = job.configuration;
  return sealed ? openSecrets(sealed, ring(ctx), parsingPlace(job.id)) : {};
}

/** Returns the configuration as its creator sent it. */
export function withoutParsing({ parse_parameters: _, ...rest }: Record<string, unknown>) {
  return rest;
}
