import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { readSettings, type Settings } from '#src/settings/settings.ts';

/**
 * Simulates a restart of the service with these settings: changes the cached settings, also those of the object of a
 * pipeline, and evicts the object. Settings in `names` that are absent are removed.
 */
export async function restartWith(
  names: readonly (keyof Settings)[],
  settings: Partial<Settings>,
  pipelineId?: string,
): Promise<void> {
  const change = (cached: Partial<Settings>) => {
    for (const name of names) delete cached[name];
    Object.assign(cached, settings);
  };
  change(readSettings(env));
  if (pipelineId === undefined) return;
  const owner = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  await runInDurableObject(owner, (object) =>
    change(readSettings((object as unknown as { env: object }).env)),
  );
  await evictDurableObject(owner);
}
