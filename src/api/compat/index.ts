import { fromHono } from 'chanfana';
import { Hono } from 'hono';
import { describeService, describeShared } from '#src/api/description.ts';
import { register } from '#src/api/endpoint.ts';
import type { ApiEnv } from '#src/api/middleware.ts';
import { VERSION } from '#src/api/version.ts';
import { describeInClientWords } from './description.ts';
import { COMPAT_OPERATIONS } from './operations.ts';
import { clientTongue } from './tongue.ts';

const DESCRIPTION =
  'Sluice for clients of the hosted original: their words, their shapes, the same operations.';

/** The API as clients of the hosted original know it; they are given this mount's address as their base URL. */
export function compatRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('tongue', clientTongue);
    c.set('context', { ...c.get('context'), asOriginal: true });
    await next();
  });
  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: {
      info: { title: 'Sluice, compatible', version: VERSION, description: DESCRIPTION },
      servers: [{ url: '/compat' }],
    },
  });
  describeShared(router.registry);
  register(router, COMPAT_OPERATIONS);

  let description: object | undefined;
  app.get('/openapi.json', (c) => {
    description ??= describeInClientWords(describeService(router.schema));
    return c.json(description);
  });
  return app;
}
