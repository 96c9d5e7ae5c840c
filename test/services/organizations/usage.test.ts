import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

it('the usage of a project sums its jobs in a period by product', async () => {
  const [mine, theirs] = [await createTenant(), await createTenant()];
  const day = (n: number) => Date.UTC(2026, 0, n);
  const rows: [project: string, product: string, at: number, pages: number, credits: number][] = [
    [mine.projectId, 'extract', day(1), 1, 10],
    [mine.projectId, 'extract', day(2), 2, 20],
    [mine.projectId, 'parse', day(3), 4, 40],
    [theirs.projectId, 'parse', day(2), 100, 1000],
  ];
  await env.DB.batch(
    rows.map((row) =>
      env.DB.prepare(
        `insert into usage_records (id, job_id, project_id, product, created_at, pages, credits)
         values (?1, ?1, ?2, ?3, ?4, ?5, ?6)`,
      ).bind(crypto.randomUUID(), ...row),
    ),
  );
  const iso = (n: number) => new Date(day(n)).toISOString();
  const usage = async (query: string) => {
    const { body } = await call<object & { limits: object }>('GET', `/api/v1/usage${query}`, {
      key: mine.key,
    });
    const { limits: _, ...counted } = body;
    return counted;
  };
  const first = { jobs: 1, pages: 1, credits: 10 };
  const second = { jobs: 1, pages: 2, credits: 20 };
  const third = { jobs: 1, pages: 4, credits: 40 };
  expect(await usage('')).toEqual({
    total: { jobs: 3, pages: 7, credits: 70 },
    products: { extract: { jobs: 2, pages: 3, credits: 30 }, parse: third },
    models: [],
  });
  expect(await usage(`?to=${iso(2)}`)).toEqual({ total: first, products: { extract: first }, models: [] });
  expect(await usage(`?from=${iso(3)}`)).toEqual({ total: third, products: { parse: third }, models: [] });
  expect(await usage(`?from=${iso(2)}&to=${iso(3)}`)).toEqual({
    total: second,
    products: { extract: second },
    models: [],
  });
  expect(await usage(`?from=${iso(4)}`)).toEqual({
    total: { jobs: 0, pages: 0, credits: 0 },
    products: {},
    models: [],
  });
});
