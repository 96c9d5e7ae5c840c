import { Hono } from 'hono';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { addDescribed } from '#src/api/openapi/described.ts';
import { describeOpenAiErrors } from './description.ts';
import { OPENAI_OPERATIONS } from './operations.ts';
import { openAiTongue } from './tongue.ts';

/** Routes of the OpenAI protocol. Clients use the address of this mount with /v1 as their base URL. */
export function openAiRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('tongue', openAiTongue);
    await next();
  });
  addDescribed(app, OPENAI_OPERATIONS, {
    title: 'Sluice, OpenAI-compatible',
    description: 'Pipelines and retrievers as the models of an OpenAI-compatible service.',
    mount: '/openai',
    told: describeOpenAiErrors,
  });
  return app;
}
