import { Hono } from 'hono';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { addDescribedOperations } from '#src/api/openapi/describe-api.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { describeInClientWords } from './description.ts';
import { compatDialect } from './dialect.ts';
import { COMPAT_OPERATIONS } from './operations.ts';

/** Creates the routes for clients of LlamaCloud, which use the address of these routes as their base URL. */
export function compatRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('dialect', compatDialect);
    c.set('context', { ...c.get('context'), asOriginal: true });
    await next();
  });
  addDescribedOperations(app, COMPAT_OPERATIONS, {
    title: 'Sluice, compatible',
    description: 'Sluice for clients of the hosted original: their words, their shapes, the same operations.',
    mount: '/compat',
    translate: describeInClientWords,
    translatedExamples: { operations: OPERATIONS, encode: compatDialect.encodeResponse },
  });
  return app;
}
