import type { MiddlewareHandler } from 'hono';
import { type Context, createContext } from '#src/context.ts';
import type { Bindings } from '#src/env.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { markOperation } from '#src/lib/operation-marks.ts';
import { continuedFrom, withinTrace } from '#src/lib/trace.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { watchRetention } from '#src/services/retention/watch.ts';
import { drain } from './refused-body.ts';
import type { Tongue } from './tongue.ts';

/** What every request carries. */
export interface ApiEnv {
  Bindings: Bindings;
  /** `tongue`: how callers of this mount speak; none: as the schemas do. `operation`: the id of the one that answers. */
  Variables: { requestId: string; log: Logger; context: Context; tongue?: Tongue; operation?: string };
}

const CLIENT_REQUEST_ID = /^[\w.-]{8,128}$/;

/** Names the request (the client's own name when it sends one), goes on in its trace, and builds its Context. */
export const requestContext: MiddlewareHandler<ApiEnv> = (c, next) =>
  withinTrace(continuedFrom(c.req.header('traceparent')), () => answerNamed(c, next));

const answerNamed: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const offered = c.req.header('x-request-id');
  const requestId = offered && CLIENT_REQUEST_ID.test(offered) ? offered : crypto.randomUUID();
  // First, so that the answer to settings that make no Context has a name and a line in the log as well.
  c.set('requestId', requestId);
  c.set('log', createLogger({ requestId }));
  c.header('x-request-id', requestId);
  const context = createContext(c.env, c.executionCtx, { requestId });
  c.set('context', context);
  const start = Date.now();
  await markOperation(c.env, () => `${c.req.method} ${c.req.path}`, next);
  if (c.res.status >= 400) await drain(c.req.raw.body);
  // Again: a Response that the handler made itself knows nothing of headers set before.
  c.header('x-request-id', requestId);
  const { method, path } = c.req;
  const { status } = c.res;
  const ms = Date.now() - start;
  const operation = c.get('operation') ?? 'none';
  context.log.info('request', { method, path, operation, status, ms });
  count('sluice_http_requests_total', { method: methodOf(method), operation, status: String(status) });
  observe('sluice_http_request_seconds', { operation }, ms / 1000);
  context.metrics.handOver();
  watchRetention(context);
};

/** Callers send any word. */
const methodOf = (method: string) => (METHODS.has(method) ? method : 'other');
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
