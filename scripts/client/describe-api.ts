import './import-service.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';

/** Returns the OpenAPI description of the service as JSON, as `/openapi.json` of a running service does. */
export async function describeApi(): Promise<string> {
  // The modules of the service can be imported only after `import-service.ts` has been evaluated.
  const [{ Hono }, { API }, { addDescribedOperations }, { OPERATIONS }] = await Promise.all([
    import('hono'),
    import('#src/app.ts'),
    import('#src/api/openapi/describe-api.ts'),
    import('#src/api/operations.ts'),
  ]);
  const app = new Hono<ApiEnv>();
  addDescribedOperations(app, OPERATIONS, API);
  return (await app.request('/openapi.json')).text();
}
