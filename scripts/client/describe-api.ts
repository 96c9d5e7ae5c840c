import './import-service.ts';
import { Hono } from 'hono';

/** Imports a module of the service without its types, which only compile with those of the Workers runtime. */
const load = async <Module>(specifier: string) => (await import(specifier)) as Module;

/** Returns the OpenAPI description of the service as JSON, as `/openapi.json` of a running service does. */
export async function describeApi(): Promise<string> {
  const { API } = await load<{ API: object }>('#src/app.ts');
  const { OPERATIONS } = await load<{ OPERATIONS: readonly object[] }>('#src/api/operations.ts');
  const { addDescribedOperations } = await load<{
    addDescribedOperations(app: Hono, operations: readonly object[], description: object): void;
  }>('#src/api/openapi/describe-api.ts');
  const app = new Hono();
  addDescribedOperations(app, OPERATIONS, API);
  return (await app.request('/openapi.json')).text();
}
