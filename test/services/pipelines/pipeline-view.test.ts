import { env } from 'cloudflare:workers';
import { inArray } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { viewPipelines } from '#src/services/pipelines/pipeline-view.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { toldDatabase } from '#test/support/told-database.ts';

interface Listed {
  id: string;
  data_sink: { id: string } | null;
  embedding_model_config: { id: string } | null;
}

it('pipelines are listed with their own sinks and embedding configs, with one statement for each kind', async () => {
  const { key } = await createTenant();
  const make = async (place: string, body: object) => {
    const named = { name: crypto.randomUUID(), ...body };
    const answer = await call<{ id: string }>('POST', `/api/v1/${place}`, { key, body: named });
    expect(answer.status, place).toBeLessThan(300);
    return answer.body.id;
  };
  const sink = () => make('data-sinks', { sink_type: 'VENDOR_C', component: { uri: 'https://h.example' } });
  const config = () =>
    make('embedding-model-configs', { embedding_config: { type: 'PROVIDER_F_EMBEDDING', component: {} } });
  const [a, b, x, y] = [await sink(), await sink(), await config(), await config()];
  const references = [
    [a, x],
    [b, y],
    [a, y],
    [null, x],
    [null, null],
  ] as const;
  const expected = new Map<string, readonly (string | null)[]>();
  for (const each of references) {
    const [data_sink_id, embedding_model_config_id] = each;
    expected.set(await make('pipelines', { data_sink_id, embedding_model_config_id }), each);
  }
  for (const list of [
    (await call<Listed[]>('GET', '/api/v1/pipelines', { key })).body,
    (await call<{ items: Listed[] }>('GET', '/api/v2/pipelines', { key })).body.items,
  ]) {
    const found = list.map((each) => [
      each.id,
      [each.data_sink?.id ?? null, each.embedding_model_config?.id ?? null],
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  }

  const { DB, statements } = toldDatabase();
  const ctx = createContext({ ...env, DB }, { waitUntil() {} });
  const rows = await ctx.db
    .select()
    .from(pipelines)
    .where(inArray(pipelines.id, [...expected.keys()]));
  statements.length = 0;
  expect(await viewPipelines(ctx, rows)).toHaveLength(references.length);
  expect(statements).toHaveLength(2);
  const bare = rows.filter((row) => row.dataSinkId === null && row.embeddingModelConfigId === null);
  expect(await viewPipelines(ctx, bare)).toMatchObject([{ dataSink: null, embeddingModelConfig: null }]);
  expect(statements).toHaveLength(2);
});
