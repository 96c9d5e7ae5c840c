import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import type { Check } from '#src/services/operating/check.ts';
import { checkBytes } from '#src/services/operating/checks/bytes.ts';
import { checkObjects } from '#src/services/operating/checks/objects.ts';
import { allOf } from '#test/support/checks.ts';
import { call, upload } from '#test/support/client.ts';
import { emptyService } from '#test/support/empty-service.ts';
import { addFiles, createPipeline, untilFinished } from '#test/support/pipelines.ts';

const ctx = createContext(env, createExecutionContext());
const all = (check: Check, fix = false) => allOf(ctx, check, fix);

beforeEach(emptyService);
afterEach(() => void vi.restoreAllMocks());

it('reports files whose bytes are missing or changed', async () => {
  const ids = [];
  for (const name of ['a.txt', 'b.txt', 'c.txt']) ids.push(await upload(name, `text of ${name}`));
  expect(await all(checkBytes)).toEqual({ examined: 3, findings: [] });
  const getStorageKey = async (id: string) => {
    const row = await env.DB.prepare('select storage_key from files where id = ?').bind(id).first();
    return String(row?.storage_key);
  };
  await env.FILES.delete(await getStorageKey(ids[0]!));
  await env.FILES.put(await getStorageKey(ids[2]!), 'cut');
  const { findings } = await all(checkBytes, true);
  const places = findings.map(({ place, level, mended }) => ({ place, level, mended }));
  expect(places.toSorted((a, b) => a.place.localeCompare(b.place))).toEqual(
    [ids[0], ids[2]].toSorted().map((id) => ({ place: `file ${id}`, level: 'fail', mended: false })),
  );
});

describe('the check of objects in the bucket', () => {
  const later = () => vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 86_400_000);
  const known = async () => (await env.FILES.list()).objects.map(({ key }) => key).toSorted();

  /** Creates objects of every kind that the service stores, and returns their keys. */
  async function used(): Promise<string[]> {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'a.md': '# Alpha\n\nText.' });
    const text = 'A long text. '.repeat(2_000);
    const documents = [{ id: 'long', text, metadata: {} }];
    await call('PUT', `/api/v1/pipelines/${pipelineId}/documents`, { body: documents });
    await untilFinished(pipelineId);
    const keys = await known();
    for (const kind of ['files', 'parsed', 'pipelines']) {
      expect(
        keys.some((key) => key.split('/')[2] === kind),
        kind,
      ).toBe(true);
    }
    return keys;
  }

  it('keeps objects with a row, recent ones, and those of an unknown kind', async () => {
    const keys = await used();
    const other = `projects/${crypto.randomUUID()}/of-tomorrow/thing`;
    await env.FILES.put(other, 'x');
    await env.FILES.put(`projects/${crypto.randomUUID()}/jobs/ext-1/result.json`, 'young');
    expect((await all(checkObjects, true)).findings).toEqual([]);
    later();
    const { findings, examined } = await all(checkObjects, true);
    expect(findings).toMatchObject([{ place: expect.stringContaining('/jobs/ext-1/'), mended: true }]);
    expect(examined).toBe(keys.length + 2);
    expect(await known()).toEqual([...keys, other].toSorted());
  });

  it('removes objects without a row', async () => {
    const keys = await used();
    const [project, id] = [crypto.randomUUID(), crypto.randomUUID()];
    const made = [
      listPossibleKeys(project, id),
      // Another upload of an existing file.
      ...keys.filter((key) => key.includes('/files/')).map((key) => key.replace(/[^/]+$/, id)),
    ].flat();
    for (const key of made) await env.FILES.put(key, 'x');
    later();
    expect((await all(checkObjects)).findings.map(({ place }) => place).toSorted()).toEqual(made.toSorted());
    expect(await known()).toEqual([...keys, ...made].toSorted());
    expect((await all(checkObjects, true)).findings.every(({ mended }) => mended)).toBe(true);
    expect(await known()).toEqual(keys);
  });

  const listPossibleKeys = (project: string, id: string) => [
    keys.upload(project, id, id),
    keys.parseSummary(project, 'hash', 'config'),
    keys.figure(project, 'hash', 'a figure'),
    keys.documentText(project, id, id),
    keys.jobResult(project, id),
  ];
});
