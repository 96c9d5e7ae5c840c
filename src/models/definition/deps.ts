import { upstream } from '#src/upstream/http.ts';
import type { ModelDeps } from './definition.ts';

type Installation = Omit<ModelDeps, 'http'>;

/** For models whose address the operator has set: it may be private. */
export const operatorDeps = (installation: Installation) => depsOf(installation, true);

/** For models whose address a tenant has set: it must be public. */
export const tenantDeps = (installation: Installation) => depsOf(installation, false);

function depsOf({ settings, bindings, log }: Installation, trusted: boolean): ModelDeps {
  return { settings, bindings, log, http: (rules) => upstream({ ...rules, settings, trusted }) };
}
