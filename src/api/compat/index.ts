import { Hono } from 'hono';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { addDescribed } from '#src/api/openapi/described.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { describeInClientWords } from './description.ts';
import { COMPAT_OPERATIONS } from './operations.ts';
import { clientTongue } from './tongue.ts';

/** API of the hosted original. Its clients use the address of this mount as their base URL. */
export function compatRoutes() {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('tongue', clientTongue);
    c.set('context', { ...c.get('context'), asOriginal: true });
    await next();
  });
  addDescribed(app, COMPAT_OPERATIONS, {
    title: 'Sluice, compatible',
    description: 'Sluice for clients of the hosted original: their words, their shapes, the same operations.',
    mount: '/compat',
    told: describeInClientWords,
    translatedExamples: { operations: OPERATIONS, say: clientTongue.said },
  });
  return app;
}
