import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { expireJobs } from '#src/services/retention/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

it('deletes old batches without jobs in steps, cancelled ones too, but none that still creates jobs', async () => {
  const { projectId, userId } = await createTenant();
  const addBatches = (count: number, cancelledAt: number | null) =>
    env.DB.batch(
      Array.from({ length: count }, () => crypto.randomUUID()).flatMap((id) => [
        env.DB.prepare(
          `insert into batches
             (id, project_id, user_id, job_type, name, configuration, file_count, cancelled_at, created_at)
           values (?1, ?2, ?3, 'parse', '', '{}', 1, ?4, 0)`,
        ).bind(id, projectId, userId, cancelledAt),
        env.DB.prepare(
          'insert into batch_items (batch_id, project_id, position, file_id, job_id) values (?1, ?2, 0, ?1, ?1)',
        ).bind(id, projectId),
      ]),
    );
  await addBatches(25, 1);
  await addBatches(1, null);
  const ctx = createContext(env, { waitUntil() {} });
  const expired = { projectId, before: new Date(), cursor: undefined };
  expect(await expireJobs(ctx, expired)).toEqual({ removed: 20, next: 'again' });
  expect(await expireJobs(ctx, expired)).toEqual({ removed: 5, next: undefined });
  const left = env.DB.prepare('select state, count(*) as n from batch_items where project_id = ? group by 1');
  expect((await left.bind(projectId).all()).results).toEqual([{ state: 'waiting', n: 1 }]);
});
