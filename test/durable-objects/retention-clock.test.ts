import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { RetentionClock } from '#objects/retention-clock.ts';
import { createContext } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { begunProject, finishRestore } from '#test/support/backups.ts';
import { call, upload } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const keeper = () => env.METRICS_KEEPER.get(env.METRICS_KEEPER.idFromName('installation'));
const alarmIn = () =>
  runInDurableObject(keeper(), async (_, { storage }) => {
    const at = await storage.getAlarm();
    return at === null ? null : at - Date.now();
  });

it('runs soon after a retention period is set, then every six hours, also without periods', async () => {
  const { key, projectId } = await createTenant();
  const id = await upload('old.txt', 'An old text.', { key });
  const change = (retention: object | null) =>
    call('PUT', `/api/v1/projects/${projectId}`, { key, body: { name: 'Default', retention } });
  const old = Date.now() - 40 * DAY_MS;
  await env.DB.prepare('update files set created_at = ?1, updated_at = ?1 where id = ?2').bind(old, id).run();
  await runInDurableObject(keeper(), (_, { storage }) => storage.setAlarm(Date.now() + DAY_MS));
  await change({ files_days: 30 });
  expect(await alarmIn()).toBeLessThanOrEqual(60_000);
  await keeper().watch('sometime');
  expect(await alarmIn()).toBeLessThanOrEqual(60_000);
  expect(await runDurableObjectAlarm(keeper())).toBe(true);
  expect((await call('GET', `/api/v1/files/${id}`, { key })).status).toBe(404);
  const next = (await alarmIn())!;
  expect(next).toBeGreaterThan(5 * 3_600_000);
  // An isolate that starts in between changes nothing.
  await keeper().watch('sometime');
  expect(await alarmIn()).toBeGreaterThan(5 * 3_600_000);
  await change(null);
  await keeper().watch('sometime');
  expect(await runDurableObjectAlarm(keeper())).toBe(true);
  expect(await alarmIn()).toBeGreaterThan(5 * 3_600_000);
});

it('deletes old events of the audit log and old invitations without any setting', async () => {
  const { organizationId, key } = await createTenant();
  const [old, young] = [Date.now() - 401 * DAY_MS, Date.now() - 399 * DAY_MS];
  for (const time of [old, young]) {
    await env.DB.prepare(
      `insert into audit_events (id, organization_id, operation, outcome, request_id, created_at)
       values (?, ?, 'deletePipeline', 'success', 'r', ?)`,
    )
      .bind(crypto.randomUUID(), organizationId, time)
      .run();
  }
  const path = `/api/v1/organizations/${organizationId}/invitations`;
  await call('POST', path, { key, body: {} });
  await env.DB.prepare('update invitations set expires_at = ? where organization_id = ?')
    .bind(Date.now() - 31 * DAY_MS, organizationId)
    .run();
  await keeper().watch('soon');
  expect(await runDurableObjectAlarm(keeper())).toBe(true);
  const { results } = await env.DB.prepare(
    "select created_at from audit_events where organization_id = ? and operation = 'deletePipeline'",
  )
    .bind(organizationId)
    .all();
  expect(results).toEqual([{ created_at: young }]);
  expect((await call<{ items: unknown[] }>('GET', path, { key })).body.items).toEqual([]);
});

it('removes nothing during a restore, and runs again in ten minutes', async () => {
  const { key, projectId } = await createTenant();
  const id = await upload('old.txt', 'An old text.', { key });
  const old = Date.now() - 40 * DAY_MS;
  await env.DB.prepare('update files set created_at = ?1, updated_at = ?1 where id = ?2').bind(old, id).run();
  await call('PUT', `/api/v1/projects/${projectId}`, {
    key,
    body: { name: 'Default', retention: { files_days: 30 } },
  });
  const restore = await begunProject();
  await keeper().watch('soon');
  expect(await runDurableObjectAlarm(keeper())).toBe(true);
  expect((await call('GET', `/api/v1/files/${id}`, { key })).status).toBe(200);
  expect(Math.round((await alarmIn())! / 60_000)).toBe(10);
  await finishRestore(restore.id);
  expect(await runDurableObjectAlarm(keeper())).toBe(true);
  expect((await call('GET', `/api/v1/files/${id}`, { key })).status).toBe(404);
});

it('runs again for a project that changes its retention during a pass', async () => {
  const { key, projectId } = await createTenant();
  const body = { name: 'Default', retention: { files_days: 30 } };
  await call('PUT', `/api/v1/projects/${projectId}`, { key, body });
  const made = createContext(env, { waitUntil() {} });
  await runInDurableObject(keeper(), async (_, { storage }) => {
    let asked: Promise<void> | undefined;
    // Reading the settings shows that the pass has started with the projects.
    const context = Object.defineProperty({ ...made }, 'settings', {
      get() {
        asked ??= clock.watch('soon');
        return made.settings;
      },
    });
    const clock: RetentionClock = new RetentionClock(storage, context);
    await clock.runTurn();
    await asked;
  });
  expect(await alarmIn()).toBeLessThanOrEqual(60_000);
  await runInDurableObject(keeper(), (_, { storage }) => new RetentionClock(storage, made).runTurn());
  expect(await alarmIn()).toBeGreaterThan(5 * 3_600_000);
});
