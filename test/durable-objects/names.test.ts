import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { PipelineSync } from '#objects/pipeline-sync.ts';
import { ParseError } from '#src/documents/errors.ts';
import * as errors from '#src/lib/errors.ts';
import { currentTrace, runInTrace } from '#src/lib/trace.ts';
import { createObjects } from '#src/work/objects.ts';

const { BadRequest, Conflict, DomainError, Forbidden, Invalid, NotFound } = errors;
const { TooLarge, Unauthenticated, Unavailable, UnsupportedMediaType, Upstream } = errors;

/** Returns the error that a caller catches when the object throws this error. */
async function caught(error: unknown): Promise<unknown> {
  const name = crypto.randomUUID();
  const view = vi.spyOn(PipelineSync.prototype, 'view').mockRejectedValue(error);
  try {
    return await createObjects(env)
      .pipelineSync(name)
      .view()
      .catch((arrived: unknown) => arrived);
  } finally {
    view.mockRestore();
  }
}

describe('an error thrown by a Durable Object', () => {
  it.each([
    new Invalid([{ loc: ['body', 'name'], msg: 'is missing', type: 'missing' }]),
    new BadRequest('not like this'),
    new Unauthenticated(),
    new Forbidden('not you'),
    new NotFound('Pipeline', 'p-1'),
    new Conflict('it is being deleted'),
    new TooLarge('too much'),
    new UnsupportedMediaType('no pictures'),
    new errors.RateLimited('slowly', 7),
    new Upstream('the source is away', { retryable: true, retryAfter: 7 }),
    new Upstream('the source refuses', { retryable: false }),
    new Unavailable('later'),
    new DomainError('internal', 'our fault'),
  ])('keeps its class, message and fields: $code', async (error) => {
    const arrived = (await caught(error)) as errors.DomainError;
    expect(arrived).toBeInstanceOf(DomainError);
    expect(Object.getPrototypeOf(arrived)).toBe(Object.getPrototypeOf(error));
    expect({ ...arrived, message: arrived.message, name: arrived.name }).toMatchObject({
      ...error,
      message: error.message,
      name: error.name,
    });
  });

  it('stays as it is if it is not a domain error', async () => {
    const arrived = await caught(new RangeError('of the runtime'));
    expect(arrived).not.toBeInstanceOf(DomainError);
    expect(errors.getErrorMessage(arrived)).toContain('of the runtime');
    const stolen = Object.assign(new Error('not ours'), { code: 'toString', retryable: true });
    expect(errors.restoreErrorClass(stolen)).not.toBeInstanceOf(DomainError);
  });

  it('can be of a class derived in another module', async () => {
    const told = Object.assign(new Error('TIMEOUT: too slow'), {
      ...new ParseError('TIMEOUT', 'too slow'),
    });
    const arrived = errors.restoreErrorClass(told, { ParseError });
    expect(arrived).toBeInstanceOf(ParseError);
    expect(arrived).toMatchObject({ reason: 'TIMEOUT', retryable: false, message: 'TIMEOUT: too slow' });
    const unknown = errors.restoreErrorClass(Object.assign(new Error('x'), new ParseError('TIMEOUT', 'x')));
    expect(unknown).toBeInstanceOf(DomainError);
    expect(unknown).not.toBeInstanceOf(Invalid);
  });

  it('keeps its class when a real object throws it', async () => {
    const name = crypto.randomUUID();
    const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(name));
    await runInDurableObject(stub, (_object, state) => state.storage.put('erasure', { pipelineId: name }));
    const started = createObjects(env).pipelineSync(name).start(name, { reason: 'request' });
    await expect(started).rejects.toBeInstanceOf(Conflict);
  });
});

describe('the trace of the caller', () => {
  const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', flags: '01' };
  const call = (bindings = env) =>
    runInTrace(TRACE, () => createObjects(bindings).pipelineSync(crypto.randomUUID()).view());

  it('continues in the object', async () => {
    const seen: (string | undefined)[] = [];
    const view = vi.spyOn(PipelineSync.prototype, 'view').mockImplementation(async () => {
      seen.push(currentTrace()?.traceId);
      return null;
    });
    await call();
    view.mockRestore();
    expect(seen).toEqual([TRACE.traceId]);
  });

  it.each([
    ['is called as it can be', 'The RPC receiver does not implement the method "as".', ['as', 'view']],
    ['is not called twice when it fails', 'it failed', ['as']],
  ])('is optional for an object of an older version, which %s', async (_, message, expected) => {
    const called: string[] = [];
    const stub = {
      as: async () => {
        called.push('as');
        throw new TypeError(message);
      },
      view: async () => void called.push('view'),
    };
    const older = { idFromName: (name: string) => name, get: () => stub };
    await call({ ...env, PIPELINE_SYNC: older as unknown as typeof env.PIPELINE_SYNC }).catch(() => {});
    expect(called).toEqual(expected);
  });
});
