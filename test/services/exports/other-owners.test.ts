import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { objectEntries } from '#src/services/exports/bucket-entries.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { untar } from '#test/support/tar.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Named {
  id: string;
}

const decoder = new TextDecoder();

/** Downloads an archive and returns its files as texts. */
async function download(path: string, key: string): Promise<Map<string, string>> {
  const response = await fetchService('GET', path, { key });
  expect(response.status).toBe(200);
  const files = untar(new Uint8Array(await response.arrayBuffer()));
  return new Map([...files].map(([name, bytes]) => [name, decoder.decode(bytes)]));
}

const parse = async (key: string, projectId: string) => {
  const query = `?project_id=${projectId}`;
  const file_id = await upload('a.txt', 'A text.', { key, query });
  return (await call<Named>('POST', `/api/v2/parse${query}`, { key, body: { file_id } })).body.id;
};

describe('the export of a person who belongs to two organizations', () => {
  it('contains keys, jobs and conversations of the requested organization only', async () => {
    const { key, userId, organizationId, projectId } = await createTenant();
    const post = async <Body>(path: string, body: object) =>
      (await call<Body>('POST', path, { key, body })).body;
    const second = await post<Named>('/api/v1/organizations', { name: 'Second' });
    const ofSecond = `?organization_id=${second.id}`;
    const [project] = (await call<Named[]>('GET', `/api/v1/projects${ofSecond}`, { key })).body;
    await post('/api/v1/api-keys', { name: 'of the first' });
    await post(`/api/v1/api-keys${ofSecond}`, { name: 'of the second' });
    const [here, there] = [await parse(key, projectId), await parse(key, project!.id)];
    for (const query of ['', ofSecond]) {
      const pipeline = await post<Named>(`/api/v1/pipelines${query}`, { name: 'p' });
      await post(`/api/v1/pipelines/${pipeline.id}/chat-sessions`, { name: `asked in ${query}` });
    }

    const got = await download(`/api/v1/users/${userId}/export?organization_id=${organizationId}`, key);
    const text = [...got.values()].join('\n');
    expect(text).toContain('of the first');
    expect(text).not.toContain('of the second');
    expect(text).toContain(here);
    expect(text).not.toContain(there);
    expect([...got.keys()].filter((name) => name.endsWith('/session.json'))).toHaveLength(1);
    expect(text).not.toContain(second.id);
    expect(text).not.toContain(project!.id);
  });
});

describe('the export of a project', () => {
  it('contains nothing of another project of the organization', async () => {
    const { key, projectId } = await createTenant();
    const sibling = await call<Named>('POST', '/api/v1/projects', { key, body: { name: 'Sibling' } });
    const [here, there] = [await parse(key, projectId), await parse(key, sibling.body.id)];
    const got = await download(`/api/v1/projects/${projectId}/export`, key);
    const text = [...got.values()].join('\n');
    expect(text).toContain(here);
    expect(text).not.toContain(there);
    expect(text).not.toContain(sibling.body.id);
  });

  it('contains the objects of every page of the listing, and none beside the prefix', async () => {
    const bucket = new Proxy(env.FILES, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name === 'list') return (options: R2ListOptions) => target.list({ ...options, limit: 2 });
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    for (const name of ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/6'])
      await env.FILES.put(`listed/${name}`, name);
    const ctx = { ...createContext(env, { waitUntil() {} }), bucket };
    const contents: Record<string, string> = {};
    for await (const { name, bytes } of objectEntries(ctx, 'listed/a/', (key) =>
      key.slice('listed/'.length),
    )) {
      contents[name] = (await Array.fromAsync(bytes)).map((piece) => decoder.decode(piece)).join('');
    }
    expect(contents).toEqual({ 'a/1': 'a/1', 'a/2': 'a/2', 'a/3': 'a/3', 'a/4': 'a/4', 'a/5': 'a/5' });
    await env.FILES.delete(['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/6'].map((name) => `listed/${name}`));
  });
});
