import { upstream } from '#src/upstream/http.ts';
import type { ModelDeps } from './definition.ts';

type Installation = Omit<ModelDeps, 'http'>;

/** Dependencies for models whose address the operator set. It may be private. */
export const operatorDeps = (installation: Installation) => depsOf(installation, true);

/** Dependencies for models whose address a tenant set. It must be public. */
export const tenantDeps = (installation: Installation) => depsOf(installation, false);

function depsOf({ settings, bindings, log }: Installation, trusted: boolean): ModelDeps {
  return { settings, bindings, log, http: (rules) => upstream({ ...rules, settings, trusted }) };
}
