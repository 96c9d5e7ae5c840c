import type { MiddlewareHandler } from 'hono';
import { type Context, createContext } from '#src/context/context.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { markOperation } from '#src/lib/schema/operation-marks.ts';
import type { BucketState } from '#src/lib/token-buckets.ts';
import { continueTrace, formatTraceparent, runInTrace } from '#src/lib/trace.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { startRetentionSchedule } from '#src/services/retention/watch.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { WireDialect } from './wire-dialect.ts';

/** Maximum time in milliseconds for reading and discarding the rest of a rejected request's body. */
const MAX_DRAIN_MS = 10_000;

/**
 * Maximum number of bytes that are discarded from a rejected request's body. It exceeds the body limit of
 * most Cloudflare plans.
 */
export const MAX_DISCARDED_BYTES = 128 * 2 ** 20;

/** Types of the bindings and variables that the handlers of all requests can access. */
export interface ApiEnv {
  Bindings: Bindings;
  /**
   * `dialect` converts requests and responses for clients of other APIs. It is absent where Sluice's own
   * schemas apply. `operation` is the id of the matched operation. `requestLimit` is the state of the caller's rate
   * limit, if there is one.
   */
  Variables: {
    requestId: string;
    log: Logger;
    context: Context;
    dialect?: WireDialect;
    operation?: string;
    requestLimit?: BucketState;
  };
}

const CLIENT_REQUEST_ID = /^[\w.-]{8,128}$/;

/**
 * Sets the id of a request, or uses the id that the client sent, and continues the client's trace. The
 * response contains both.
 */
export const assignRequestId: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const offered = c.req.header('x-request-id');
  const requestId = offered && CLIENT_REQUEST_ID.test(offered) ? offered : crypto.randomUUID();
  const trace = continueTrace(c.req.header('traceparent'));
  c.set('requestId', requestId);
  await runInTrace(trace, async () => {
    // The logger is created before the settings are read, so that an error in the settings is logged with the
    // request id.
    c.set('log', createLogger({ requestId }));
    await next();
  });
  // The headers are set last, because a Response that a handler created lacks headers that were set before.
  c.header('x-request-id', requestId);
  c.header('traceresponse', formatTraceparent(trace));
};

/** Creates the Context of a request, and counts and logs the response. Must come after `assignRequestId`. */
export const requestContext: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const context = createContext(c.env, c.executionCtx, { requestId: c.get('requestId') });
  c.set('context', context);
  const start = Date.now();
  await markOperation(c.env, () => `${c.req.method} ${c.req.path}`, next);
  if (c.res.status >= 400) await drain(c.req.raw.body);
  const { method, path } = c.req;
  const { status } = c.res;
  const ms = Date.now() - start;
  const operation = c.get('operation') ?? 'none';
  context.log.info('request', { method, path, operation, status, ms });
  count('sluice_http_requests_total', { method: getMethodLabel(method), operation, status: String(status) });
  observe('sluice_http_request_seconds', { operation }, ms / 1000);
  context.metrics.flush();
  startRetentionSchedule(context);
};

/** Clients may send any method name, so unknown names share one metric label. */
const getMethodLabel = (method: string) => (METHODS.has(method) ? method : 'other');
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Discards the rest of a request body that is not read. A client that is still sending when the connection
 * closes would not see the response. Stops if this takes too long or the body is too large.
 */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const over = scheduler.wait(MAX_DRAIN_MS).then(() => undefined);
  const next = () => Promise.race([reader.read(), over]);
  let dropped = 0;
  try {
    let read = await next();
    while (read && !read.done && dropped < MAX_DISCARDED_BYTES) {
      dropped += read.value.byteLength;
      read = await next();
    }
    if (!read?.done) await reader.cancel();
  } catch {
    // Reading failed because the client has disconnected, so nothing remains to be discarded.
  }
}
