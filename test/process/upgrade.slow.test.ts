import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SyncClient } from './pipelines.ts';
import { ended, HOOK_SECRET, until } from './recorded/contents.ts';
import { Neighbours } from './recorded/neighbours.ts';
import { unpackState } from './recorded/packed-state.ts';
import { askAll, withoutReasons } from './recorded/questions.ts';
import { readIngestRevision, readRecorded, recordedReleases, stateFile } from './recorded/recorded.ts';
import { Service } from './service.ts';

interface Checked {
  examined: number;
  findings: { level: string; place: string; message: string }[];
  next_page_token: string | null;
}

/** Doctor checks that the data of a release could fail. */
const CHECKS = ['schema', 'secrets', 'bytes', 'objects', 'indexes', 'syncs', 'jobs'];

describe.each(recordedReleases())('state of release %s', (release) => {
  const { encryptionKey, apiKey, ids, answers, recordedAt, ingestRevision } = readRecorded(release);
  const state = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  const neighbours = new Neighbours();
  const service = new Service(
    { ALLOW_PRIVATE_ADDRESSES: 'true', ENCRYPTION_KEYS_PREVIOUS: encryptionKey },
    { state },
  );
  const client = new SyncClient(service);
  const isIndexedAnew = ingestRevision !== readIngestRevision('.');

  beforeAll(async () => {
    unpackState(readFileSync(stateFile(release)), state, recordedAt);
    await neighbours.start();
    // Unfinished work continues only when the test releases it.
    neighbours.hold();
    await service.start();
  });
  afterAll(async () => {
    await service.end();
    await neighbours.stop();
  });

  it('gives the same answers for queries, lists, sessions and job results', async () => {
    expect(withoutReasons(await askAll(service, ids))).toMatchObject(withoutReasons(answers));
  });

  it('accepts the keys of its first user and of this installation', async () => {
    const status = async (key: string) =>
      (await service.fetch('GET', '/api/v1/pipelines', undefined, undefined, key)).status;
    expect([await status(apiKey), await status(service.key), await status('slc_another')]).toEqual([
      200, 200, 401,
    ]);
  });

  it('continues a sync, a job and a webhook delivery', async () => {
    const jobStatus = async () =>
      (await service.call<{ status: string }>('GET', `/api/v2/parse/${ids.waitingParse}`)).status;
    expect([(await client.status(ids.letters)).status, await jobStatus()]).toEqual([
      'IN_PROGRESS',
      'RUNNING',
    ]);
    neighbours.letGo();
    const run = await client.untilFinished(ids.letters);
    expect(run).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
    expect(await client.search(ids.letters, 'Petrel')).toHaveLength(1);
    expect(await ended(service, 'parse', ids.waitingParse)).toBe('COMPLETED');
    const [told] = await until(
      async () => neighbours.delivered.filter(({ body }) => body.includes(ids.told)),
      (delivered) => delivered.length > 0,
    );
    // The webhook secret was encrypted with the previous key.
    const signature = createHmac('sha256', HOOK_SECRET).update(told!.body).digest('hex');
    expect(told!.signature).toBe(`sha256=${signature}`);
  });

  it('is reindexed only if this release requires it', async () => {
    const letters = await client.sync(ids.letters);
    expect(letters).toMatchObject({ status: 'SUCCESS', progress: { counters: { listed: 4, changed: 0 } } });
    const manuals = await client.sync(ids.manuals);
    expect(manuals.status).toBe('SUCCESS');
    const { indexed = 0, fetched = 0 } = letters.progress.counters;
    // The continued sync has already updated the letters pipeline.
    expect([manuals.progress.counters.indexed ?? 0, indexed, fetched]).toEqual([isIndexedAnew ? 4 : 0, 0, 0]);
  });

  it('accepts new files and applies deletions at once', async () => {
    const added = await service.upload('added.txt', 'The new ice house keeps the mackerel cold.');
    const path = `/api/v1/pipelines/${ids.manuals}/files`;
    const run = await client.run(ids.manuals, () => service.call('PUT', path, [{ file_id: added }]));
    expect(run.status).toBe('SUCCESS');
    expect(await client.search(ids.manuals, 'mackerel')).toHaveLength(1);
    expect(await client.search(ids.manuals, 'trawler')).toHaveLength(1);
    await service.call('DELETE', `${path}/${ids.tariff}`);
    expect(await client.search(ids.manuals, 'trawler')).toEqual([]);
    await service.call('DELETE', `/api/v1/pipelines/${ids.manuals}/documents/birds`);
    expect(await client.search(ids.manuals, 'cormorants')).toEqual([]);
  });

  it.each(CHECKS)('has no lost data in doctor: %s', async (check) => {
    const all: Checked['findings'] = [];
    let examined = 0;
    for (let page_token: string | null | undefined; page_token !== null; ) {
      const body = { check, page_token };
      const checked = await service.call<Checked>('POST', '/api/v1/admin/checks', body);
      all.push(...checked.findings);
      examined += checked.examined;
      page_token = checked.next_page_token;
    }
    expect(all.filter(({ level }) => level === 'fail')).toEqual([]);
    // Indexes, syncs and jobs may have nothing to examine.
    if (!['indexes', 'syncs', 'jobs'].includes(check)) expect(examined).toBeGreaterThan(0);
  });
});
