import { createUpstreamHttp } from '#src/upstream/http.ts';
import type { ModelDeps } from './definition.ts';

type Installation = Omit<ModelDeps, 'http'>;

/** Returns the dependencies of models whose address the operator set. Such an address may be private. */
export const createOperatorDeps = (installation: Installation) => createDeps(installation, true);

/** Returns the dependencies of models whose address a tenant set. Such an address must be public. */
export const createTenantDeps = (installation: Installation) => createDeps(installation, false);

function createDeps({ settings, bindings, log }: Installation, trusted: boolean): ModelDeps {
  return { settings, bindings, log, http: (rules) => createUpstreamHttp({ ...rules, settings, trusted }) };
}
