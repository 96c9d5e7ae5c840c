import { createLogger } from '#src/lib/log.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { operatorDeps } from '#src/models/definition/deps.ts';
import type { Settings } from '#src/settings/settings.ts';

/**
 * What drivers are given, with these bindings; its HTTP goes to whatever stands in for `fetch`. `seconds`: how long it
 * waits for drivers that have no setting for that.
 */
export function modelDeps(bindings: ModelDeps['bindings'] = {}, seconds?: number): ModelDeps {
  const settings = { ALLOW_PRIVATE_ADDRESSES: true } as Settings;
  const deps = operatorDeps({ settings, bindings, log: createLogger({}, 'error') });
  if (seconds === undefined) return deps;
  return {
    ...deps,
    http: (rules) => deps.http({ ...rules, silenceSeconds: seconds, totalSeconds: seconds }),
  };
}
