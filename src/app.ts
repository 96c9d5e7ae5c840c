import { Hono } from 'hono';
import { compatRoutes } from './api/compat/index.ts';
import { REFERENCE, REFERENCE_POLICY } from './api/docs/reference.ts';
import { health, liveness, readiness } from './api/health.ts';
import { type ApiEnv, assignRequestId, requestContext } from './api/http/middleware.ts';
import { withPageHeaders } from './api/http/page-headers.ts';
import { addRateLimitHeaders } from './api/http/rate-limit-headers.ts';
import { errorResponse } from './api/http/respond.ts';
import { mcpRoutes } from './api/mcp/index.ts';
import { oauthRoutes } from './api/oauth/index.ts';
import { getRoutePath } from './api/openai/headers.ts';
import { openAiRoutes } from './api/openai/index.ts';
import { addDescribedOperations } from './api/openapi/describe-api.ts';
import { OPERATIONS } from './api/operations.ts';
import { presignedRoutes } from './api/presigned.ts';
import { signInRoutes } from './api/sign-in.ts';
import { serveConsole, serveGuide } from './api/static-pages.ts';
import { NotFound } from './lib/errors.ts';

/** Title and description of the API in `/openapi.json`. */
export const API = {
  title: 'Sluice',
  description: 'Ingests documents, and answers retrieval queries and chat questions about them.',
};

export function createApp() {
  const app = new Hono<ApiEnv>({ getPath: getRoutePath });
  app.use(assignRequestId);
  // The liveness check is registered before the settings are read, so that it responds even if they are
  // invalid.
  app.get('/health/live', liveness);
  app.use(requestContext);
  app.use(addRateLimitHeaders);
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => errorResponse(c, new NotFound(`${c.req.method} ${c.req.path}`)));
  app.get('/health', (c) => health(c.get('context'), c.env));
  app.get('/health/ready', (c) => readiness(c.get('context'), c.env));
  app.route('/presigned', presignedRoutes());

  app.route('/sign-in', signInRoutes());
  app.route('/', mcpRoutes());
  app.route('/', oauthRoutes());
  app.route('/compat', compatRoutes());
  app.route('/openai', openAiRoutes());

  addDescribedOperations(app, OPERATIONS, API);
  app.get('/docs', async (c) => withPageHeaders(await c.html(REFERENCE), REFERENCE_POLICY));
  app.get('/', (c) => c.redirect('/console/'));
  app.get('/console', (c) => c.redirect('/console/'));
  app.get('/console/*', (c) => serveConsole(c.env.ASSETS, c.req.raw));
  app.get('/docs/guide/*', (c) => serveGuide(c.env.ASSETS, c.req.raw));
  app.get('/docs/*', async (c) => withPageHeaders(await c.env.ASSETS.fetch(c.req.raw), REFERENCE_POLICY));
  return app;
}
