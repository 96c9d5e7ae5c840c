import { createLogger } from '#src/lib/log.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { createOperatorDeps } from '#src/models/definition/deps.ts';
import type { Settings } from '#src/settings/settings.ts';

/**
 * Returns the dependencies of model drivers with these bindings. HTTP uses the current `fetch`. `seconds` is
 * the timeout of drivers without a timeout setting.
 */
export function modelDeps(bindings: ModelDeps['bindings'] = {}, seconds?: number): ModelDeps {
  const settings = { ALLOW_PRIVATE_ADDRESSES: true } as Settings;
  const deps = createOperatorDeps({ settings, bindings, log: createLogger({}, 'error') });
  if (seconds === undefined) return deps;
  return {
    ...deps,
    http: (rules) => deps.http({ ...rules, silenceSeconds: seconds, totalSeconds: seconds }),
  };
}
