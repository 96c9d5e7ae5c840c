import type { MiddlewareHandler } from 'hono';
import { type Context, createContext } from '#src/context.ts';
import type { Bindings } from '#src/env.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { drain } from './refused-body.ts';
import type { Tongue } from './tongue.ts';

/** What every request carries. */
export interface ApiEnv {
  Bindings: Bindings;
  /** `tongue`: how callers of this mount speak; none: as the schemas do. */
  Variables: { requestId: string; log: Logger; context: Context; tongue?: Tongue };
}

const CLIENT_REQUEST_ID = /^[\w.-]{8,128}$/;

/** Names the request (the client's own name when it sends one) and builds its Context. */
export const requestContext: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const offered = c.req.header('x-request-id');
  const requestId = offered && CLIENT_REQUEST_ID.test(offered) ? offered : crypto.randomUUID();
  // First, so that the answer to settings that make no Context has a name and a line in the log as well.
  c.set('requestId', requestId);
  c.set('log', createLogger({ requestId }));
  c.header('x-request-id', requestId);
  const context = createContext(c.env, c.executionCtx, { requestId });
  c.set('context', context);
  const start = Date.now();
  await next();
  if (c.res.status >= 400) await drain(c.req.raw.body);
  // Again: a Response that the handler made itself knows nothing of headers set before.
  c.header('x-request-id', requestId);
  context.log.info('request', {
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    ms: Date.now() - start,
  });
};
