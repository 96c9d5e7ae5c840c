import type { OpenAPIRegistryMerger } from 'chanfana';
import { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { type Check, checkSchema, checkStores, runTimedCheck } from '#src/db/health.ts';
import type { Bindings } from '#src/settings/env.ts';
import { headers } from './http/response-headers.ts';
import { toReferences } from './operation/error-responses.ts';

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

/** Time in milliseconds to wait for the parser's answer. */
const PARSER_WAIT_MS = 2_000;

/**
 * Time in milliseconds after its last answer for which a silent parser is considered busy with a large page.
 * No parser call takes longer.
 */
const PARSER_BUSY_MS = 15 * 60_000;

const lastAnswers = new WeakMap<object, number>();

type Checks = Record<string, Check>;

/**
 * Checks the stores, the schema, the parser, the bindings and the models. The results contain no tenant data
 * and no secrets.
 */
async function runChecks(ctx: Context, env: Bindings): Promise<Checks> {
  const bindings = BINDINGS.map((name): [string, Check] => [name, { ok: env[name] !== undefined }]);
  const problems = ctx.models.problems();
  const models: Check = problems.length > 0 ? { ok: false, error: problems.join('; ') } : { ok: true };
  const [stores, schema, parser] = await Promise.all([
    checkStores(ctx),
    checkSchema(ctx.db, env.DB),
    checkParser(ctx, env),
  ]);
  return { ...stores, schema, ...Object.fromEntries(bindings), PARSER: parser, models };
}

async function checkParser({ parser }: Context, { PARSER }: Bindings): Promise<Check> {
  if (PARSER === undefined) return { ok: false };
  const binding = PARSER as unknown as object;
  const answered = runTimedCheck(() => parser.ocrId()).then((check) => {
    if (check.ok) lastAnswers.set(binding, Date.now());
    return check;
  });
  return Promise.race([answered, scheduler.wait(PARSER_WAIT_MS).then(() => checkSilentParser(binding))]);
}

function checkSilentParser(binding: object): Check {
  const last = lastAnswers.get(binding);
  if (last !== undefined && Date.now() - last < PARSER_BUSY_MS) return { ok: true };
  return { ok: false, error: `The parser did not answer within ${PARSER_WAIT_MS / 1000} seconds.` };
}

/** Answers `GET /health` with the result of every check, and with status 503 if any check failed. */
export async function health(ctx: Context, env: Bindings): Promise<Response> {
  const checks = await runChecks(ctx, env);
  const healthy = Object.values(checks).every((check) => check.ok);
  return Response.json({ status: healthy ? 'ok' : 'unhealthy', checks }, { status: healthy ? 200 : 503 });
}

/** Answers `GET /health/ready`, with status 503 until all dependencies of requests are available. */
export async function readiness(ctx: Context, env: Bindings): Promise<Response> {
  const checks = Object.entries(await runChecks(ctx, env));
  const missing = checks
    .filter(([, { ok }]) => !ok)
    .map(([name, { error }]) => ({ name, reason: error ?? 'The binding is missing.' }));
  const ready = missing.length === 0;
  return Response.json({ status: ready ? 'ready' : 'not_ready', missing }, { status: ready ? 200 : 503 });
}

/**
 * Answers `GET /health/live`. The check depends on no other system, so it fails only if the thread is
 * blocked.
 */
export const liveness = (): Response => Response.json({ status: 'live' });

const healthBody = z
  .object({
    status: z.enum(['ok', 'unhealthy']),
    checks: z
      .record(
        z.string(),
        z.object({ ok: z.boolean(), ms: z.number().optional(), error: z.string().optional() }),
      )
      .describe(
        'Results by the name of the store or binding, or `models` or `schema`. `ms` is the time in milliseconds that a store or the parser took to answer.',
      ),
  })
  .meta({ id: 'Health' });

const readinessBody = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    missing: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .describe('The failed checks of `/health`, each with the reason. Empty if the service is ready.'),
  })
  .meta({ id: 'Readiness' });

const livenessBody = z.object({ status: z.literal('live') }).meta({ id: 'Liveness' });

interface HealthRoute {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  schema: z.ZodType;
  /** Description of the response, by HTTP status. */
  answers: Record<number, string>;
  /** True if the route reads the settings and answers 500 if they are invalid. */
  readsSettings: boolean;
}

const ROUTES: readonly HealthRoute[] = [
  {
    path: '/health',
    operationId: 'getHealth',
    summary: 'Check the service',
    description:
      'Checks the stores, the parser, the schema, the bindings and the models, and returns each result with its time.',
    schema: healthBody,
    answers: {
      200: 'Stores and parser answer, the schema is complete, and every queue and object is bound',
      503: 'Something is missing or does not answer',
    },
    readsSettings: true,
  },
  {
    path: '/health/live',
    operationId: 'getLiveness',
    summary: 'Check that the process runs',
    description:
      'Checks nothing else, so it answers even if the stores are down. Use it to decide on a restart.',
    schema: livenessBody,
    answers: { 200: 'The process runs. Nothing else is asked.' },
    readsSettings: false,
  },
  {
    path: '/health/ready',
    operationId: 'getReadiness',
    summary: 'Check that the service is ready',
    description:
      'Runs the checks of `/health` and names what is missing. Use it to decide whether to send requests here.',
    schema: readinessBody,
    answers: {
      200: 'Everything that requests need is there',
      503: 'Something that requests need is missing',
    },
    readsSettings: true,
  },
];

/**
 * The only error that a client of the health routes can cause. The runtime sends this response before any
 * code of the service runs.
 */
const HEADERS_TOO_LARGE = {
  description: 'The headers of the request are too large',
  content: { 'text/plain': { schema: { type: 'string' as const } } },
};

/**
 * Adds the health routes to the OpenAPI description. They are not operations, because they read no input and
 * an error has the same body as a success.
 */
export function describeHealth(registry: OpenAPIRegistryMerger): void {
  for (const { path, operationId, summary, description, schema, answers, readsSettings } of ROUTES) {
    const responses = Object.entries(answers).map(([status, description]) => [
      status,
      {
        description,
        headers: headers('x-request-id', 'traceresponse'),
        content: { 'application/json': { schema } },
      },
    ]);
    registry.registerPath({
      method: 'get',
      path,
      operationId,
      tags: ['Health'],
      summary,
      description,
      security: [],
      responses: {
        ...Object.fromEntries(responses),
        ...(readsSettings && toReferences([500])),
        431: HEADERS_TOO_LARGE,
      },
    });
  }
}
