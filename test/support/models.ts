import { createLogger } from '#src/lib/log.ts';
import type { ModelDeps } from '#src/models/definition.ts';
import { operatorDeps } from '#src/models/deps.ts';
import type { Settings } from '#src/settings.ts';

/** What drivers are given, with these bindings; its HTTP goes to whatever stands in for `fetch`. */
export function modelDeps(bindings: ModelDeps['bindings'] = {}): ModelDeps {
  const settings = { ALLOW_PRIVATE_ADDRESSES: true } as Settings;
  return operatorDeps({ settings, bindings, log: createLogger({}, 'error') });
}
