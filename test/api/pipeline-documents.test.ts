import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Document {
  id: string;
  text: string;
  metadata: Record<string, unknown>;
  status_metadata: { status: string; chunk_count: number | null };
}

const quotedWithPluses = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

const put = (pipeline: string, method: 'POST' | 'PUT', body: unknown, key?: string | null) =>
  call<Document[]>(method, `/api/v1/pipelines/${pipeline}/documents`, {
    body,
    ...(key !== undefined && { key }),
  });

async function settled(pipeline: string, id: string): Promise<string> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const path = `/api/v1/pipelines/${pipeline}/documents/${encodeURIComponent(id)}/status`;
    const { status } = (await call<{ status: string }>('GET', path)).body;
    if (status !== 'NOT_STARTED' && status !== 'IN_PROGRESS') return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`document ${id} is not done`);
}

describe('documents of a pipeline', () => {
  it('are indexed, found, listed, counted and split into chunks', async () => {
    const id = await createPipeline();
    const inserted = await put(id, 'POST', [
      { id: 'one', text: 'The harbour master keeps the tide tables.', metadata: { port: 'Oban', depth: 12 } },
      { text: 'Ropes are inspected every spring.', metadata: {} },
    ]);
    expect(inserted.status).toBe(200);
    expect(inserted.body.map((each) => each.text)).toEqual([
      'The harbour master keeps the tide tables.',
      'Ropes are inspected every spring.',
    ]);
    const made = inserted.body[1]!.id;
    expect(await settled(id, 'one')).toBe('SUCCESS');
    expect(await settled(id, made)).toBe('SUCCESS');
    const [best] = await retrieve(id, 'who keeps the tide tables');
    expect(best?.node.extra_info).toMatchObject({ document_id: 'one', port: 'Oban', depth: 12 });
    const page = await call<{ documents: Document[]; total_count: number; limit: number; offset: number }>(
      'GET',
      `/api/v1/pipelines/${id}/documents/paginated?skip=1&limit=1`,
    );
    expect(page.body).toMatchObject({ total_count: 2, limit: 1, offset: 1 });
    expect(page.body.documents).toHaveLength(1);
    const listed = await call<Document[]>('GET', `/api/v1/pipelines/${id}/documents`);
    expect(listed.body.map((each) => each.id).toSorted()).toEqual(['one', made].toSorted());
    const counts = await call('GET', `/api/v1/pipelines/${id}/documents/status-counts`);
    expect(counts.body).toMatchObject({ pipeline_id: id, total_count: 2, counts: { SUCCESS: 2, ERROR: 0 } });
    const chunks = await call<{ text: string; extra_info: object }[]>(
      'GET',
      `/api/v1/pipelines/${id}/documents/one/chunks`,
    );
    expect(chunks.body).toHaveLength(1);
    expect(chunks.body[0]).toMatchObject({ text: expect.stringContaining('tide tables') });
  });

  it('are replaced by an upsert, after which only the new text is found', async () => {
    const id = await createPipeline();
    await put(id, 'POST', [{ id: 'a', text: 'Marmalade needs Seville oranges.', metadata: {} }]);
    expect(await settled(id, 'a')).toBe('SUCCESS');
    const conflict = await put(id, 'POST', [{ id: 'a', text: 'Something else.', metadata: {} }]);
    expect(conflict.status).toBe(409);
    expect(
      (await put(id, 'POST', [{ id: 'a', text: 'Marmalade needs Seville oranges.', metadata: {} }])).status,
    ).toBe(200);
    const replaced = await put(id, 'PUT', [
      { id: 'a', text: 'Chutney needs green tomatoes.', metadata: { kind: 'recipe' } },
    ]);
    expect(replaced.status).toBe(200);
    await settled(id, 'a');
    const nodes = await retrieve(id, 'oranges tomatoes');
    expect(nodes.map(({ node }) => node.text).join()).toBe('Chutney needs green tomatoes.');
    expect(nodes[0]?.node.extra_info).toMatchObject({ kind: 'recipe' });
  });

  it('cannot be found once the deletion has answered', async () => {
    const id = await createPipeline();
    await put(id, 'POST', [{ id: 'x', text: 'The password of the vault is rosebud.', metadata: {} }]);
    await settled(id, 'x');
    expect(await retrieve(id, 'vault')).toHaveLength(1);
    expect((await call('DELETE', `/api/v1/pipelines/${id}/documents/x`)).status).toBe(204);
    expect(await retrieve(id, 'vault')).toEqual([]);
    for (const path of ['x', 'x/status', 'x/chunks']) {
      expect((await call('GET', `/api/v1/pipelines/${id}/documents/${path}`)).status).toBe(404);
    }
    expect((await call('DELETE', `/api/v1/pipelines/${id}/documents/x`)).status).toBe(404);
  });

  it.each(['a/b c', 'https://host/päge?x=1&y=2%20', 'plain'])(
    'are found by the id %s in any encoding',
    async (name) => {
      const id = await createPipeline();
      await put(id, 'POST', [{ id: name, text: 'Words.', metadata: {} }]);
      const once = encodeURIComponent(name);
      const withPluses = quotedWithPluses(name);
      for (const encoded of [
        once,
        encodeURIComponent(once),
        encodeURIComponent(encodeURIComponent(once)),
        quotedWithPluses(withPluses),
        quotedWithPluses(quotedWithPluses(withPluses)),
      ]) {
        const read = await call<Document>('GET', `/api/v1/pipelines/${id}/documents/${encoded}`);
        expect(read.status, encoded).toBe(200);
        expect(read.body.id).toBe(name);
      }
    },
  );

  it('can be read, synced and deleted by an id that was encoded three times', async () => {
    const id = await createPipeline();
    await put(id, 'POST', [{ id: 'doc/1 a', text: 'Words of a document.', metadata: {} }]);
    await settled(id, 'doc/1 a');
    for (const quoted of ['doc%252F1%2Ba', 'doc%25252F1%252Ba']) {
      const path = `/api/v1/pipelines/${id}/documents/${quoted}`;
      expect((await call<Document>('GET', path)).body.id).toBe('doc/1 a');
      expect((await call('GET', `${path}/status`)).status).toBe(200);
      expect((await call<unknown[]>('GET', `${path}/chunks`)).body).toHaveLength(1);
      expect((await call('POST', `${path}/sync`)).status).toBe(200);
    }
    await untilFinished(id);
    const path = `/api/v1/pipelines/${id}/documents/doc%25252F1%252Ba`;
    expect((await call('DELETE', path)).status).toBe(204);
    expect(await retrieve(id, 'words')).toEqual([]);
  });

  it('are distinguished from documents whose ids look like encoded forms', async () => {
    const id = await createPipeline();
    const names = ['a b', 'a+b', 'a%2Bb', 'a%20b', '100%'];
    await put(
      id,
      'POST',
      names.map((name) => ({ id: name, text: 'Words.', metadata: {} })),
    );
    for (const name of names) {
      const read = await call<Document>(
        'GET',
        `/api/v1/pipelines/${id}/documents/${encodeURIComponent(name)}`,
      );
      expect(read.body.id).toBe(name);
    }
  });

  it('exclude metadata keys from embeddings and models', async () => {
    const id = await createPipeline({ metadata_config: { excluded_llm_metadata_keys: ['shared'] } });
    await put(id, 'POST', [
      {
        id: 'secretive',
        text: 'Lavender flowers in July.',
        metadata: { title: 'Zanzibar', internal: 'yes' },
        excluded_embed_metadata_keys: ['title'],
        excluded_llm_metadata_keys: ['internal'],
      },
    ]);
    await settled(id, 'secretive');
    const [found] = await retrieve(id, 'lavender');
    expect(found?.node).toMatchObject({
      excluded_llm_metadata_keys: ['shared', 'internal'],
      excluded_embed_metadata_keys: ['title'],
    });
    const dense = { alpha: 1, enable_reranking: false };
    const excluded = (await retrieve(id, 'Zanzibar', dense))[0]?.score ?? 0;
    await put(id, 'PUT', [
      { id: 'secretive', text: 'Lavender flowers in July.', metadata: { title: 'Zanzibar' } },
    ]);
    await sync(id);
    const embedded = (await retrieve(id, 'Zanzibar', dense))[0]!.score;
    expect(embedded).toBeGreaterThan(excluded);
  });

  it('report that there is nothing to index, and can be synced again', async () => {
    const id = await createPipeline();
    await put(id, 'POST', [{ id: 'blank', text: '  \n ', metadata: {} }]);
    expect(await settled(id, 'blank')).toBe('ERROR');
    const status = await untilFinished(id);
    expect(status.status).toBe('ERROR');
    expect(status.error?.[0]?.message).toContain('NO_DATA_FOUND_IN_FILE');
    const again = await call('POST', `/api/v1/pipelines/${id}/documents/blank/sync`);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ status: 'NOT_STARTED' });
    expect(await settled(id, 'blank')).toBe('ERROR');
  });

  it('have the pages that the client marked', async () => {
    const id = await createPipeline({ transform_config: { mode: 'auto', chunk_size: 8, chunk_overlap: 0 } });
    const first = 'The first page speaks of apples and of nothing else at all.';
    await put(id, 'POST', [
      {
        id: 'p',
        text: `${first}\n\nThe second page tells of pears.`,
        metadata: {},
        page_positions: [0, first.length],
      },
    ]);
    await settled(id, 'p');
    const [pears] = await retrieve(id, 'pears');
    expect(pears?.node.extra_info).toMatchObject({ end_page_index: 1 });
  });

  it('reject malformed requests, missing keys and other tenants', async () => {
    const id = await createPipeline();
    expect((await put(id, 'POST', [{ text: 1, metadata: {} }])).status).toBe(422);
    expect((await put(id, 'POST', [{ text: 'no metadata' }])).status).toBe(422);
    expect((await put(id, 'PUT', { text: 'x', metadata: {} })).status).toBe(422);
    expect((await put(id, 'POST', [], null)).status).toBe(401);
    const { key } = await createTenant();
    expect((await put(id, 'POST', [{ text: 'x', metadata: {} }], key)).status).toBe(404);
    for (const path of ['', '/paginated', '/status-counts', '/x', '/x/status', '/x/chunks']) {
      expect((await call('GET', `/api/v1/pipelines/${id}/documents${path}`, { key })).status, path).toBe(404);
      expect(
        (await call('GET', `/api/v1/pipelines/${id}/documents${path}`, { key: null })).status,
        path,
      ).toBe(401);
    }
  });
});
