import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BackupState } from '#scripts/backup/backup-state.ts';
import { Directory } from '#scripts/backup/directory.ts';

let place: string;
let directory: Directory;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sluice-state-'));
  directory = new Directory(place);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const wanted = { base: 'http://127.0.0.1:1', project: null, key_id: 'k' };
const open = (more: object = {}) => new BackupState(directory, { ...wanted, ...more });
const page = (n: number) => [{ n }, { n: n + 1 }];

it('drops rows written after the last recorded page', () => {
  const path = directory.table('files');
  open().append('files', path, page(1), 'next');
  // Simulates a kill between writing a page and recording it.
  appendFileSync(path, '{"n":3}\n{"n":');
  const again = open();
  expect(again.resumed).toBe(true);
  expect(again.list('files')).toMatchObject({ count: 2, token: 'next', done: false });
  again.append('files', path, page(3), null);
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
  expect(open().list('files')).toMatchObject({ count: 4, done: true });
});

it('writes a file for an empty table', () => {
  open().append('files', directory.table('files'), [], null);
  expect(readFileSync(directory.table('files'), 'utf8')).toBe('');
});

it('belongs to a single backup', () => {
  open();
  expect(() => open({ key_id: 'other' })).toThrow('started with another BACKUP_KEY');
  expect(() => open({ base: 'http://127.0.0.1:2' })).toThrow(
    'contains an unfinished backup of another service or project (base:',
  );
  expect(() => open({ project: 'p' })).toThrow(
    'contains an unfinished backup of another service or project (project: null)',
  );
});
