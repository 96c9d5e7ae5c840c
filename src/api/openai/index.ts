import { Hono } from 'hono';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { errorResponse } from '#src/api/http/respond.ts';
import { addDescribedOperations } from '#src/api/openapi/describe-api.ts';
import { describeOpenAiErrors } from './description.ts';
import { openAiDialect } from './dialect.ts';
import { addLimitHeaders, allowOrigins } from './headers.ts';
import { createMissingRoute } from './missing-routes.ts';
import { OPENAI_OPERATIONS } from './operations.ts';

/**
 * Creates the routes of the OpenAI protocol. The base URL of its clients is the address of these routes,
 * followed by /v1.
 */
export function openAiRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('dialect', openAiDialect);
    await next();
  });
  app.use(allowOrigins, addLimitHeaders);
  addDescribedOperations(app, OPENAI_OPERATIONS, {
    title: 'Sluice, OpenAI-compatible',
    description: 'Pipelines and retrievers as the models of an OpenAI-compatible service.',
    mount: '/openai',
    translate: describeOpenAiErrors,
  });
  app.all('*', (c) => errorResponse(c, createMissingRoute(c.req.method, c.req.path)));
  return app;
}
