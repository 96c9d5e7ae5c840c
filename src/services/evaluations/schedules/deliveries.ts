import { inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type EvaluationRun, webhookConfigs, webhookDeliveries } from '#src/db/schema/index.ts';
import { derivedId } from '#src/lib/ids.ts';
import { openConfig, sealDelivery } from '#src/services/webhooks/secrets.ts';
import type { WebhookEvent } from '#src/webhook-protocol/configuration.ts';
import { isSubscribed, listEvaluationEvents } from '#src/webhook-protocol/events.ts';
import { buildWebhookBody } from '#src/webhook-protocol/payload.ts';

/**
 * Returns the webhook deliveries that report the end of a scheduled run. They are inserted only if the run has ended
 * at the given time. Endpoints that were deleted since the schedule was saved are left out.
 */
export async function buildRunDeliveries(
  ctx: Context,
  run: EvaluationRun,
  questionSetName: string,
  at: Date,
): Promise<ConditionalRow[]> {
  const events = listEvaluationEvents(run.status, run.report?.is_regression ?? false);
  const ids = run.limits?.webhook_configuration_ids ?? [];
  if (events.length === 0 || ids.length === 0) return [];
  const configs = await ctx.db.query.webhookConfigs.findMany({ where: inArray(webhookConfigs.id, ids) });
  const rows = configs
    .filter(({ projectId }) => projectId === run.projectId)
    .map(async (config) => {
      const endpoint = await openConfig(ctx, config.id, config.configuration);
      const subscribed = [...events.entries()].filter(([, event]) => isSubscribed(endpoint, event));
      return Promise.all(
        subscribed.map(([place, event]) =>
          buildDelivery(ctx, { run, questionSetName, at, event, sequence: place + 1 }, config.id, endpoint),
        ),
      );
    });
  return (await Promise.all(rows)).flat();
}

interface RunEvent {
  run: EvaluationRun;
  questionSetName: string;
  at: Date;
  event: WebhookEvent;
  sequence: number;
}

async function buildDelivery(
  ctx: Context,
  { run, questionSetName, at, event, sequence }: RunEvent,
  configId: string,
  endpoint: Awaited<ReturnType<typeof openConfig>>,
): Promise<ConditionalRow> {
  const [id, eventId] = await Promise.all([
    derivedId('webhook delivery', run.id, event, configId),
    derivedId('webhook event', run.id, event),
  ]);
  const data = buildEventData(run, questionSetName);
  const row = {
    ...{
      id,
      eventId,
      eventType: event,
      projectId: run.projectId,
      jobId: run.id,
      endpoint: configId,
      sequence,
    },
    configuration: await sealDelivery(ctx, id, endpoint),
    body: buildWebhookBody({ eventId, event, at, data }, endpoint.webhook_output_format),
    status: 'pending' as const,
    attempts: 0,
    createdAt: at,
    updatedAt: at,
  };
  const hasEnded = sql`exists (select 1 from evaluation_runs
    where id = ${run.id} and status = ${run.status} and finished_at = ${at.getTime()})`;
  return createConditionalRow(webhookDeliveries, row, hasEnded);
}

function buildEventData(run: EvaluationRun, questionSetName: string): Record<string, unknown> {
  return {
    id: run.id,
    job_id: run.id,
    job_type: 'evaluation',
    name: run.name,
    status: run.status,
    project_id: run.projectId,
    question_set_id: run.questionSetId,
    question_set_name: questionSetName,
    pipeline_id: run.pipelineId,
    retriever_id: run.retrieverId,
    target_name: run.targetName,
    question_count: run.questionCount,
    completed_count: run.summary?.completed ?? 0,
    failed_count: run.summary?.failed ?? 0,
    metrics: run.summary?.metrics ?? {},
    at_least: run.limits?.at_least ?? {},
    at_most: run.limits?.at_most ?? {},
    report: run.report,
    ...(run.errorMessage && { error_message: run.errorMessage }),
  };
}
