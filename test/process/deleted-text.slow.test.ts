import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { SyncClient } from './pipelines.ts';
import { Service } from './service.ts';

const MARKER = 'the lighthouse keeper hides seven silver herrings under the stairs';
const service = new Service();
const client = new SyncClient(service);

beforeAll(() => service.start());
afterAll(() => service.end());

const files = (pattern: string) =>
  globSync(pattern, { cwd: service.state })
    .map((name) => join(service.state, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());

const filesWithMarker = () => files('**/*').filter((file) => readFileSync(file).includes(MARKER));

/** Says whether a row of any database still holds the marker. */
function isInSomeRow(): boolean {
  return files('v3/**/*.sqlite').some((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      const rows = tables.flatMap(({ name }) => {
        const statement = database.prepare(`SELECT * FROM "${name}"`);
        // Alarms are kept in nanoseconds, which no JavaScript number holds.
        statement.setReadBigInts(true);
        return statement.all();
      });
      const values = rows.flatMap((row) => Object.values(row));
      return values.some((value) =>
        value instanceof Uint8Array ? Buffer.from(value).includes(MARKER) : String(value).includes(MARKER),
      );
    } finally {
      database.close();
    }
  });
}

it('deleted text is in no file of the state after npm run compact', async () => {
  const kept = await service.upload('kept.txt', 'Mackerel is smoked over beech wood.');
  const deleted = await service.upload('deleted.txt', `It is said that ${MARKER}.`);
  const id = await client.createPipeline();
  const path = `/api/v1/pipelines/${id}`;
  const members = [{ file_id: kept }, { file_id: deleted }];
  await client.run(id, () => service.call('PUT', `${path}/files`, members));
  const document = { id: 'told', text: `A document, too: ${MARKER}.`, metadata: {} };
  await client.run(id, () => service.call('PUT', `${path}/documents`, [document]));
  expect(await client.search(id, 'silver herrings')).not.toEqual([]);
  expect(filesWithMarker()).not.toEqual([]);

  await service.call('DELETE', `${path}/documents/told`);
  await service.call('DELETE', `/api/v1/files/${deleted}`);
  // Shards delete texts in an alarm.
  await vi.waitUntil(() => !isInSomeRow(), { timeout: PATIENCE_MS, interval: 200 });
  await service.kill();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/compact.ts'], {
    env: { ...process.env, STATE_DIR: service.state },
    encoding: 'utf8',
  });
  expect(status, stdout + stderr).toBe(0);
  expect(filesWithMarker()).toEqual([]);

  await service.start();
  expect(await client.search(id, 'mackerel')).toHaveLength(1);
  expect((await client.sync(id)).status).toBe('SUCCESS');
});
