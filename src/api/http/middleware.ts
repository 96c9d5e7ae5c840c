import type { MiddlewareHandler } from 'hono';
import { type Context, createContext } from '#src/context/context.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { markOperation } from '#src/lib/schema/operation-marks.ts';
import { continuedFrom, traceparentOf, withinTrace } from '#src/lib/trace.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { watchRetention } from '#src/services/retention/watch.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { Tongue } from './tongue.ts';

/** Milliseconds for which the rest of a rejected request's body is read and discarded. */
const LONGEST_MS = 10_000;

/** Maximum bytes that are discarded. It exceeds the body limit of most Cloudflare plans. */
export const MOST_DROPPED_BYTES = 128 * 2 ** 20;

/** Bindings and variables of every request. */
export interface ApiEnv {
  Bindings: Bindings;
  /**
   * `tongue` translates for callers of this mount; absent if they use the words of the schemas. `operation`
   * is the id of the matched operation.
   */
  Variables: { requestId: string; log: Logger; context: Context; tongue?: Tongue; operation?: string };
}

const CLIENT_REQUEST_ID = /^[\w.-]{8,128}$/;

/** Assigns a request id (or takes the client's) and continues its trace. The response carries both. */
export const requestName: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const offered = c.req.header('x-request-id');
  const requestId = offered && CLIENT_REQUEST_ID.test(offered) ? offered : crypto.randomUUID();
  const trace = continuedFrom(c.req.header('traceparent'));
  c.set('requestId', requestId);
  await withinTrace(trace, async () => {
    // Set before the settings are read, so that an invalid setting is logged with the request id.
    c.set('log', createLogger({ requestId }));
    await next();
  });
  // A Response that a handler created lacks the headers set before.
  c.header('x-request-id', requestId);
  c.header('traceresponse', traceparentOf(trace));
};

/** Builds the Context of a request, and counts and logs the answer. Comes after `requestName`. */
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
  count('sluice_http_requests_total', { method: methodOf(method), operation, status: String(status) });
  observe('sluice_http_request_seconds', { operation }, ms / 1000);
  context.metrics.handOver();
  watchRetention(context);
};

/** Clients may send any method name. */
const methodOf = (method: string) => (METHODS.has(method) ? method : 'other');
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Discards the rest of an unwanted body, because a client that is still sending when the connection ends
 * never sees the response. Gives up if it takes too long or is too large.
 */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const over = scheduler.wait(LONGEST_MS).then(() => undefined);
  const next = () => Promise.race([reader.read(), over]);
  let dropped = 0;
  try {
    let read = await next();
    while (read && !read.done && dropped < MOST_DROPPED_BYTES) {
      dropped += read.value.byteLength;
      read = await next();
    }
    if (!read?.done) await reader.cancel();
  } catch {
    // The sender has disconnected.
  }
}
