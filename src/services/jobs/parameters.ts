import type { Context } from '../../context.ts';
import { parseParameters } from '../../ingest/parsing/parameters.ts';
import { keyRingOf } from '../../lib/secrets.ts';
import { sealedPlaces } from '../sealed-places.ts';
import { keepMasked, openSecrets, sealSecrets } from '../secret-fields.ts';

const ring = (ctx: Context) => keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Parse parameters as a job's row keeps them: their secrets are sealed. */
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
