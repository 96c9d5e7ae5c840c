import { fromHono } from 'chanfana';
import { Hono } from 'hono';
import { describeService, describeShared } from '#src/api/description.ts';
import { register } from '#src/api/endpoint.ts';
import type { ApiEnv } from '#src/api/middleware.ts';
import { VERSION } from '#src/api/version.ts';
import { describeOpenAiErrors } from './description.ts';
import { OPENAI_OPERATIONS } from './operations.ts';
import { openAiTongue } from './tongue.ts';

const DESCRIPTION = 'Pipelines and retrievers as the models of an OpenAI-compatible service.';

/** What clients of the OpenAI protocol ask; they are given this mount's address with /v1 as their base URL. */
export function openAiRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('tongue', openAiTongue);
    await next();
  });
  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: {
      info: { title: 'Sluice, OpenAI-compatible', version: VERSION, description: DESCRIPTION },
      servers: [{ url: '/openai' }],
    },
  });
  describeShared(router.registry);
  register(router, OPENAI_OPERATIONS);

  let description: object | undefined;
  app.get('/openapi.json', (c) => {
    description ??= describeOpenAiErrors(describeService(router.schema));
    return c.json(description);
  });
  return app;
}
