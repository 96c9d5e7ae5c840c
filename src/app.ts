import { Hono } from 'hono';
import { compatRoutes } from './api/compat/index.ts';
import { consolePage } from './api/console-page.ts';
import { REFERENCE, REFERENCE_POLICY } from './api/docs/reference.ts';
import { health, liveness, readiness } from './api/health.ts';
import { type ApiEnv, requestContext, requestName } from './api/http/middleware.ts';
import { withPageHeaders } from './api/http/page-headers.ts';
import { errorResponse } from './api/http/respond.ts';
import { mcpRoutes } from './api/mcp/index.ts';
import { openAiRoutes } from './api/openai/index.ts';
import { addDescribed } from './api/openapi/described.ts';
import { OPERATIONS } from './api/operations.ts';
import { presignedRoutes } from './api/presigned.ts';
import { NotFound } from './lib/errors.ts';

const DESCRIPTION = 'Takes documents in, answers retrieval queries and chat over them.';

export function createApp() {
  const app = new Hono<ApiEnv>();
  app.use(requestName);
  // Before the settings are read: it answers whatever else is wrong.
  app.get('/health/live', liveness);
  app.use(requestContext);
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, new NotFound(`${c.req.method} ${c.req.path}`)));
  app.get('/health', (c) => health(c.get('context'), c.env));
  app.get('/health/ready', (c) => readiness(c.get('context'), c.env));
  app.route('/presigned', presignedRoutes());

  app.route('/', mcpRoutes());
  app.route('/compat', compatRoutes());
  app.route('/openai', openAiRoutes());

  addDescribed(app, OPERATIONS, { title: 'Sluice', description: DESCRIPTION });
  app.get('/docs', async (c) => withPageHeaders(await c.html(REFERENCE), REFERENCE_POLICY));
  app.get('/', (c) => c.redirect('/console/'));
  app.get('/console', (c) => c.redirect('/console/'));
  app.get('/console/*', (c) => consolePage(c.env.ASSETS, c.req.raw));
  app.get('/docs/*', async (c) => withPageHeaders(await c.env.ASSETS.fetch(c.req.raw), REFERENCE_POLICY));
  return app;
}
