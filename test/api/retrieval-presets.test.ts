import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { valuesOf } from '#test/support/inserted-rows.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Preset {
  id: string;
  name: string;
  pipeline_id: string;
  parameters: Record<string, unknown>;
  is_default: boolean;
}

async function pipeline(body: object = {}) {
  const id = await createPipeline({ ...body });
  const path = `/api/v2/pipelines/${id}/retrieval-presets`;
  return {
    id,
    path,
    create: (preset: object, key?: string) =>
      call<Preset>('POST', path, { body: preset, ...(key && { key }) }),
    update: (preset: string, changes: object) => call<Preset>('PUT', `${path}/${preset}`, { body: changes }),
    list: async () => (await call<Preset[]>('GET', path)).body,
    async readParameters() {
      const { body: read } = await call<{ preset_retrieval_parameters: object }>(
        'GET',
        `/api/v1/pipelines/${id}`,
      );
      return read.preset_retrieval_parameters;
    },
  };
}

const isDefaultByName = (presets: Preset[]) => presets.map(({ name, is_default }) => [name, is_default]);

describe('retrieval presets', () => {
  it('are created, listed by name, read, changed and deleted', async () => {
    const { id, path, create, update, list } = await pipeline();
    expect(await list()).toEqual([]);
    const words = (await create({ name: ' Words ', parameters: { alpha: 0 } })).body;
    expect(words).toMatchObject({
      name: 'Words',
      pipeline_id: id,
      parameters: { alpha: 0 },
      is_default: false,
    });
    await create({ name: 'Meaning', parameters: { alpha: 1, search_filters: null } });
    expect((await list()).map(({ name }) => name)).toEqual(['Meaning', 'Words']);
    expect((await call<Preset>('GET', `${path}/${words.id}`)).body).toEqual(words);
    const renamed = await update(words.id, { name: 'Exact words' });
    expect(renamed.body).toMatchObject({ id: words.id, name: 'Exact words', parameters: { alpha: 0 } });
    expect((await update(words.id, { parameters: { rerank_top_n: 3 } })).body).toMatchObject({
      name: 'Exact words',
      parameters: { rerank_top_n: 3 },
    });
    expect((await call('DELETE', `${path}/${words.id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect((await call(method, `${path}/${words.id}`)).status).toBe(404);
    }
    expect((await list()).map(({ name }) => name)).toEqual(['Meaning']);
  });

  it('have one default at most, whose parameters the pipeline uses', async () => {
    const { create, update, list, readParameters, id } = await pipeline();
    const words = (await create({ name: 'Words', parameters: { alpha: 0 }, is_default: true })).body;
    expect(words.is_default).toBe(true);
    expect(await readParameters()).toMatchObject({ alpha: 0 });
    const meaning = (await create({ name: 'Meaning', parameters: { alpha: 1 } })).body;
    expect(await readParameters()).toMatchObject({ alpha: 0 });
    expect((await update(meaning.id, { is_default: true })).body.is_default).toBe(true);
    expect(await readParameters()).toMatchObject({ alpha: 1 });
    expect(isDefaultByName(await list())).toEqual([
      ['Meaning', true],
      ['Words', false],
    ]);
    // Changes of the default apply at once, changes of others do not.
    await update(meaning.id, { parameters: { alpha: 0.9 } });
    await update(words.id, { parameters: { alpha: 0.1 } });
    expect(await readParameters()).toMatchObject({ alpha: 0.9 });
    // Changing the pipeline directly ends the default.
    const body = { preset_retrieval_parameters: { alpha: 0.4 } };
    expect((await call('PUT', `/api/v1/pipelines/${id}`, { body })).status).toBe(200);
    expect(isDefaultByName(await list())).toEqual([
      ['Meaning', false],
      ['Words', false],
    ]);
    await update(meaning.id, { parameters: { alpha: 0.8 } });
    expect(await readParameters()).toMatchObject({ alpha: 0.4 });
    await update(words.id, { is_default: true });
    expect((await update(words.id, { is_default: false })).body.is_default).toBe(false);
    expect(await readParameters()).toMatchObject({ alpha: 0.1 });
  });

  it('have unique names in their pipeline, and refuse invalid parameters', async () => {
    const { create, update, list } = await pipeline();
    await create({ name: 'Words', parameters: {} });
    const other = (await create({ name: 'Other', parameters: {} })).body;
    expect(await create({ name: 'Words', parameters: {}, is_default: true })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("'Words'") },
    });
    expect((await update(other.id, { name: 'Words', is_default: true })).status).toBe(409);
    expect(isDefaultByName(await list())).toEqual([
      ['Other', false],
      ['Words', false],
    ]);
    const elsewhere = await pipeline();
    expect((await elsewhere.create({ name: 'Words', parameters: {} })).status).toBe(200);
    for (const preset of [
      { name: '  ', parameters: {} },
      { name: 'x'.repeat(201), parameters: {} },
      { name: 'x' },
      { name: 'x', parameters: { alpha: 2 } },
      { name: 'x', parameters: { search_filters: { filters: [{ key: 'k', value: 'v'.repeat(40_000) }] } } },
    ]) {
      expect((await create(preset)).status).toBe(422);
    }
    // A preset cannot be reached through another pipeline.
    expect((await call('GET', `${elsewhere.path}/${other.id}`)).status).toBe(404);
    expect((await call('PUT', `${elsewhere.path}/${other.id}`, { body: { is_default: true } })).status).toBe(
      404,
    );
    expect(await elsewhere.readParameters()).toEqual(await pipeline().then((each) => each.readParameters()));
  });

  it('are at most 100 in a pipeline, also with concurrent requests', async () => {
    const { create, update, list } = await pipeline();
    const names = Array.from({ length: 104 }, (_, n) => `preset ${n}`);
    const answers = await Promise.all(names.map((name) => create({ name, parameters: {} })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    const [first, ...others] = await list();
    expect(others).toHaveLength(99);
    // A preset that is refused does not replace the default.
    await update(first!.id, { is_default: true });
    expect((await create({ name: 'one more', parameters: {}, is_default: true })).status).toBe(409);
    expect((await list()).filter(({ is_default }) => is_default).map(({ id }) => id)).toEqual([first!.id]);
  });

  it('are invisible to other tenants, copied with their pipeline, and deleted with it', async () => {
    const { id, path, create, list } = await pipeline();
    const { key } = await createTenant();
    const preset = (await create({ name: 'Words', parameters: { alpha: 0 }, is_default: true })).body;
    expect((await create({ name: 'Mine', parameters: {} }, key)).status).toBe(404);
    expect((await call('GET', path, { key })).status).toBe(404);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { is_default: true } : undefined;
      expect((await call(method, `${path}/${preset.id}`, { key, ...(body && { body }) })).status).toBe(404);
    }
    expect(await list()).toEqual([preset]);
    const copy = (await call<{ id: string }>('POST', `/api/v1/pipelines/${id}/copy`)).body.id;
    const copied = (await call<Preset[]>('GET', `/api/v2/pipelines/${copy}/retrieval-presets`)).body;
    expect(copied).toMatchObject([{ name: 'Words', pipeline_id: copy, is_default: true }]);
    expect(copied[0]?.id).not.toBe(preset.id);
    expect((await call('DELETE', `/api/v1/pipelines/${copy}`)).status).toBe(204);
    const listRows = () => valuesOf('retrieval_presets', 'id', `pipeline_id = '${copy}'`);
    await expect.poll(listRows, { timeout: PATIENCE_MS }).toEqual([]);
    expect(await list()).toEqual([preset]);
  });
});
