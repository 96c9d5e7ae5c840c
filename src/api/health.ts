import type { OpenAPIRegistryMerger } from 'chanfana';
import { z } from 'zod';
import type { Context } from '#src/context.ts';
import { type Check, checkStores, timed } from '#src/db/health.ts';
import type { Bindings } from '#src/env.ts';
import { referTo } from './error-responses.ts';
import { headers } from './response-headers.ts';

const BINDINGS = [
  'INGESTION_QUEUE',
  'INTERACTIVE_QUEUE',
  'EXTRACT_QUEUE',
  'CLASSIFY_QUEUE',
  'WEBHOOKS_QUEUE',
  'DEAD_LETTER_QUEUE',
  'PIPELINE_SYNC',
  'JOB_STATE',
  'JOB_INTAKE',
  'CHAT_STREAM',
  'SEARCH_SHARD',
  'METRICS_KEEPER',
] as const;

/** A parser that says nothing for so long is at work on a large page, which is no failure. */
const PARSER_WAIT_MS = 2_000;

/** Whether stores and parser answer, every queue and object is bound, and the variables of models can be read. */
export async function health(ctx: Context, env: Bindings): Promise<Response> {
  const bindings = BINDINGS.map((name): [string, Check] => [name, { ok: env[name] !== undefined }]);
  const problems = ctx.models.problems();
  const models: Check = problems.length > 0 ? { ok: false, error: problems.join('; ') } : { ok: true };
  const [stores, parser] = await Promise.all([checkStores(ctx), checkParser(ctx, env)]);
  const checks = { ...stores, ...Object.fromEntries(bindings), PARSER: parser, models };
  const healthy = Object.values(checks).every((check) => check.ok);
  return Response.json({ status: healthy ? 'ok' : 'unhealthy', checks }, { status: healthy ? 200 : 503 });
}

async function checkParser({ parser }: Context, { PARSER }: Bindings): Promise<Check> {
  if (PARSER === undefined) return { ok: false };
  const busy = scheduler.wait(PARSER_WAIT_MS).then((): Check => ({ ok: true }));
  return Promise.race([timed(() => parser.ocrId()), busy]);
}

const healthBody = z
  .object({
    status: z.enum(['ok', 'unhealthy']),
    checks: z
      .record(
        z.string(),
        z.object({ ok: z.boolean(), ms: z.number().optional(), error: z.string().optional() }),
      )
      .describe(
        'By the name of the store or binding, or `models`; `ms`: how long a store or the parser took to answer.',
      ),
  })
  .meta({ id: 'Health' });

/** It is no operation: it reads no input and its two answers have one body. */
export function describeHealth(registry: OpenAPIRegistryMerger): void {
  const answer = (description: string) => ({
    description,
    headers: headers('x-request-id'),
    content: { 'application/json': { schema: healthBody } },
  });
  registry.registerPath({
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    tags: ['Health'],
    summary: 'Say whether the service can work',
    responses: {
      200: answer('Stores and parser answer and every queue and object is bound'),
      503: answer('Something is missing or does not answer'),
      ...referTo([500]),
    },
  });
}
