import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { dailyActivity, modelSettings, modelUsage } from '#src/db/schema/index.ts';
import { DAY_MS, toUtcDay } from '#src/lib/day.ts';
import { getTokenUsage } from '#src/services/models/language.ts';
import { countCall, getModelUsage } from '#src/services/models/usage.ts';
import { selectActivity } from '#src/services/usage/daily.ts';
import { insertProject, valuesOf } from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

const db = openDatabase(env.DB);
const deferred: Promise<unknown>[] = [];
const ctx = createContext(env, { waitUntil: (work: Promise<unknown>) => void deferred.push(work) });

let projectId: string;
/** Another project of the same organization. */
let sibling: string;

beforeEach(async () => {
  const tenant = await createTenant();
  projectId = tenant.projectId;
  sibling = await insertProject(tenant.organizationId);
});

const insertUsage = (owner: string, day: string, inputTokens = 1, use = 'chat', model = 'm') => {
  const counts = { calls: 1, failures: 0, inputTokens, outputTokens: 0, estimated: 0, milliseconds: 1 };
  return db.insert(modelUsage).values({ projectId: owner, day, use, model, ...counts });
};

describe('the tokens of today', () => {
  it('are those of every use and model of this day and project', async () => {
    const today = toUtcDay(Date.now());
    await insertUsage(projectId, today, 1);
    await insertUsage(projectId, today, 2, 'extract');
    await insertUsage(projectId, today, 4, 'chat', 'another');
    await insertUsage(projectId, toUtcDay(Date.now() - DAY_MS), 100);
    await insertUsage(sibling, today, 1000);
    expect((await getTokenUsage(ctx, projectId)).used).toBe(7);
  });

  it.each<[string, number | undefined, number, number | null]>([
    ['of the project', 5, 9, 5],
    ['of the installation', undefined, 9, 9],
    ['of neither', undefined, 0, null],
    ['of neither, if the project has 0', 0, 9, null],
  ])('have the limit %s', async (_, own, installed, expected) => {
    await db.insert(modelSettings).values({ projectId: sibling, models: {}, dailyTokens: 77 });
    if (own !== undefined) await db.insert(modelSettings).values({ projectId, models: {}, dailyTokens: own });
    const within: Context = { ...ctx, settings: { ...ctx.settings, LLM_DAILY_TOKENS: installed } };
    expect((await getTokenUsage(within, projectId)).limit).toBe(expected);
  });
});

describe('the usage of models in a period', () => {
  const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'];
  const list = async (from: string | null, to: string | null) =>
    (await getModelUsage(ctx, projectId, { from, to })).map(({ day }) => day);

  beforeEach(async () => {
    for (const day of days) {
      await insertUsage(projectId, day);
      await insertUsage(sibling, day);
    }
  });

  it.each([
    ['no bounds', null, null, days],
    ['a first moment at midnight', '2026-02-28T00:00:00Z', null, days.slice(1)],
    ['a first moment within a day', '2026-02-28T23:00:00Z', null, days.slice(1)],
    ['an end at midnight', null, '2026-03-01T00:00:00Z', days.slice(0, 2)],
    ['an end within a day', null, '2026-03-01T00:00:00.001Z', days.slice(0, 3)],
    ['both', '2026-02-28T00:00:00Z', '2026-03-02T00:00:00Z', days.slice(1, 3)],
  ])('with %s has the days of this project', async (_, from, to, expected) => {
    expect(await list(from, to)).toEqual(expected);
  });
});

describe('a call of a model', () => {
  it('is added to the row of its day, use, model and project', async () => {
    const today = toUtcDay(Date.now());
    const others = [
      [sibling, today, 'chat', 'm'],
      [projectId, toUtcDay(Date.now() - DAY_MS), 'chat', 'm'],
      [projectId, today, 'extract', 'm'],
      [projectId, today, 'chat', 'another'],
    ] as const;
    for (const [owner, day, use, model] of others) await insertUsage(owner, day, 10, use, model);
    await insertUsage(projectId, today, 10);
    const tokens = { inputTokens: 3, outputTokens: 4, isEstimated: false, hasFailed: false, milliseconds: 5 };
    countCall(ctx, { projectId, use: 'chat', model: 'm', ...tokens });
    await Promise.all(deferred);
    const where = `project_id in ('${projectId}', '${sibling}')`;
    const inputs = (await valuesOf('model_usage', 'input_tokens', where)) as number[];
    expect(inputs.toSorted((a, b) => a - b)).toEqual([10, 10, 10, 10, 13]);
    const [row] = await getModelUsage(ctx, projectId, { from: new Date().toISOString(), to: null }).then(
      (rows) => rows.filter(({ use, model }) => use === 'chat' && model === 'm'),
    );
    expect(row).toMatchObject({ day: today, calls: 2, inputTokens: 13, outputTokens: 4, milliseconds: 6 });
  });
});

describe('the daily activity', () => {
  it('has the first and the last day of the period, of this project', async () => {
    const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'];
    await db.insert(dailyActivity).values(
      days.flatMap((day) => [
        { projectId, day },
        { projectId: sibling, day },
      ]),
    );
    const rows = await selectActivity(ctx, projectId, days[1]!, days[2]!);
    expect(rows.map((row) => [row.projectId, row.day])).toEqual([
      [projectId, days[1]],
      [projectId, days[2]],
    ]);
  });
});
