import { fromHono } from 'chanfana';
import { Hono } from 'hono';
import { compatRoutes } from './api/compat/index.ts';
import { consolePage } from './api/console-page.ts';
import { describeService, describeShared } from './api/description.ts';
import { REFERENCE, REFERENCE_POLICY } from './api/docs/reference.ts';
import { register } from './api/endpoint.ts';
import { health } from './api/health.ts';
import { mcpRoutes } from './api/mcp/index.ts';
import { type ApiEnv, requestContext } from './api/middleware.ts';
import { openAiRoutes } from './api/openai/index.ts';
import { OPERATIONS } from './api/operations.ts';
import { withPageHeaders } from './api/page-headers.ts';
import { presignedRoutes } from './api/presigned.ts';
import { errorResponse } from './api/respond.ts';
import { VERSION } from './api/version.ts';
import { NotFound } from './errors.ts';

const DESCRIPTION = 'Takes documents in, answers retrieval queries and chat over them.';

export function createApp() {
  const app = new Hono<ApiEnv>();
  app.use(requestContext);
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, new NotFound(`${c.req.method} ${c.req.path}`)));
  app.get('/health', (c) => health(c.get('context'), c.env));
  app.route('/presigned', presignedRoutes());

  app.route('/', mcpRoutes());
  app.route('/compat', compatRoutes());
  app.route('/openai', openAiRoutes());

  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: { info: { title: 'Sluice', version: VERSION, description: DESCRIPTION } },
  });
  describeShared(router.registry);
  register(router, OPERATIONS);

  let description: object | undefined;
  app.get('/openapi.json', (c) => {
    // Made on first request: walking every schema is work that start-up must not pay.
    description ??= describeService(router.schema);
    return c.json(description);
  });
  app.get('/docs', async (c) => withPageHeaders(await c.html(REFERENCE), REFERENCE_POLICY));
  app.get('/', (c) => c.redirect('/console/'));
  app.get('/console', (c) => c.redirect('/console/'));
  app.get('/console/*', (c) => consolePage(c.env.ASSETS, c.req.raw));
  app.get('/docs/*', async (c) => withPageHeaders(await c.env.ASSETS.fetch(c.req.raw), REFERENCE_POLICY));
  return app;
}
