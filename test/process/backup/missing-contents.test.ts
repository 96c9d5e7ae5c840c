import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Directory } from '#scripts/backup/directory.ts';
import { findMissingContents } from '#scripts/backup/missing-contents.ts';
import { keys } from '#src/bucket/keys.ts';

let directory: Directory;
beforeEach(() => {
  directory = new Directory(mkdtempSync(join(tmpdir(), 'sluice-lacking-')));
});
afterEach(() => rmSync(directory.root, { recursive: true, force: true }));

const write = (path: string, rows: object[]) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
};

it('findMissingContents names files and long texts whose objects are missing in the backup', async () => {
  const text = (document_id: string, more: object) => ({
    pipeline_id: 'p',
    kind: 'text',
    document_id,
    text: null,
    text_id: null,
    ...more,
  });
  write(directory.table('files'), [
    { id: 'there', storage_key: 'projects/a/files/there/1' },
    { id: 'replaced', storage_key: 'projects/a/files/replaced/1' },
    { id: 'announced', storage_key: null },
  ]);
  write(directory.table('pipelines'), [{ id: 'p', project_id: 'a' }]);
  write(directory.table('pipeline_members'), [
    text('short', { text: 'A text.', text_id: 't1' }),
    text('long', { text_id: 't2' }),
    text('long and replaced', { text_id: 't3' }),
    text('of a deleted pipeline', { pipeline_id: 'gone', text_id: 't4' }),
    { ...text('there', {}), kind: 'file' },
  ]);
  const there = [
    'projects/a/files/there/1',
    'projects/a/files/replaced/2',
    keys.documentText('a', 'p', 't2'),
  ];
  write(
    directory.objectList(),
    there.map((key) => ({ key, size: 1, sha256: '0'.repeat(64), metadata: null })),
  );
  expect(await findMissingContents(directory)).toEqual(['replaced', 'p/long and replaced']);
});
