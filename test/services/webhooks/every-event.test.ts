import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { buildConditionalInsert } from '#src/db/conditional-insert.ts';
import { newId } from '#src/lib/ids.ts';
import { buildDeliveryRows } from '#src/services/jobs/job-events.ts';
import { ID_PREFIX, JOB_KINDS } from '#src/services/jobs/kinds.ts';
import { type Ending, findJob, markRunning, settleJob } from '#src/services/jobs/transitions.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import { WEBHOOK_EVENTS } from '#src/webhook-protocol/configuration.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { insertJob, valuesOf } from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

const ctx = createContext(env, { waitUntil() {} });
let projectId: string;
beforeAll(async () => {
  projectId = (await createTenant()).projectId;
});

/** Takes a job from its creation to an end, and returns the events that were stored for its endpoint. */
async function fire(kind: JobKind, ending: Ending): Promise<string[]> {
  const id = newId(ID_PREFIX[kind]);
  const webhookConfigurations = (await sealJobWebhooks(ctx, id, [
    { webhook_url: 'https://hooks.example/' },
  ])) as Record<string, unknown>[];
  const row = { id, status: 'PENDING' as const, attempt: 0, webhookConfigurations, finishedAt: null };
  await insertJob(kind, projectId, row);
  const created = await buildDeliveryRows(ctx, kind, (await findJob(ctx, kind, id))!, { status: 'PENDING' });
  for (const each of created) await buildConditionalInsert(ctx, each);
  await markRunning(ctx, kind, id, 1);
  await settleJob(ctx, kind, id, { attempt: 1, ...ending });
  return (await valuesOf('webhook_deliveries', 'event_type', `job_id = '${id}'`)).map(String);
}

it('every event of a job is raised by a change of its status', async () => {
  const fired = new Set<string>();
  const endings: Ending[] = [
    { status: 'COMPLETED' },
    { status: 'COMPLETED', partial: true },
    { status: 'FAILED', errorMessage: 'broken' },
    { status: 'CANCELLED' },
    // A status of a later release, for example after a rollback.
    { status: 'EXPIRED' as 'FAILED' },
  ];
  for (const kind of JOB_KINDS) {
    for (const ending of endings) for (const event of await fire(kind, ending)) fired.add(event);
  }
  // Tests of batches and evaluations raise the events of these.
  const ofJobs = WEBHOOK_EVENTS.filter((event) => !/^(?:batch|evaluation)\./.test(event));
  expect(ofJobs).toHaveLength(28);
  expect([...fired].toSorted()).toEqual([...ofJobs].toSorted());
});
