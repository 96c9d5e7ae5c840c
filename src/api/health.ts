import type { Context } from '#src/context.ts';
import { type Check, checkStores } from '#src/db/health.ts';
import type { Bindings } from '#src/env.ts';

const BINDINGS = [
  'INGESTION_QUEUE',
  'EXTRACT_QUEUE',
  'CLASSIFY_QUEUE',
  'WEBHOOKS_QUEUE',
  'DEAD_LETTER_QUEUE',
  'PIPELINE_SYNC',
  'JOB_STATE',
  'JOB_INTAKE',
  'SEARCH_SHARD',
  'PARSER',
] as const;

/** Whether the stores answer and every queue, object and Worker is bound. */
export async function health(ctx: Context, env: Bindings): Promise<Response> {
  const bindings = BINDINGS.map((name): [string, Check] => [name, { ok: env[name] !== undefined }]);
  const checks = { ...(await checkStores(ctx)), ...Object.fromEntries(bindings) };
  const healthy = Object.values(checks).every((check) => check.ok);
  return Response.json({ status: healthy ? 'ok' : 'unhealthy', checks }, { status: healthy ? 200 : 503 });
}
