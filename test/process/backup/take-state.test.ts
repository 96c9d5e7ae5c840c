import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Directory } from '#scripts/backup/directory.ts';
import { TakeState } from '#scripts/backup/take-state.ts';

let place: string;
let directory: Directory;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sluice-state-'));
  directory = new Directory(place);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const wanted = { base: 'http://127.0.0.1:1', project: null, key_id: 'k' };
const open = (more: object = {}) => new TakeState(directory, { ...wanted, ...more });
const page = (n: number) => [{ n }, { n: n + 1 }];

it('drops what was written after the last page that was noted', () => {
  const path = directory.table('files');
  open().append('files', path, page(1), 'next');
  // Killed between the page and the note of it.
  appendFileSync(path, '{"n":3}\n{"n":');
  const again = open();
  expect(again.resumed).toBe(true);
  expect(again.list('files')).toMatchObject({ count: 2, token: 'next', done: false });
  again.append('files', path, page(3), null);
  expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
  expect(open().list('files')).toMatchObject({ count: 4, done: true });
});

it('keeps a table without rows as a file', () => {
  open().append('files', directory.table('files'), [], null);
  expect(readFileSync(directory.table('files'), 'utf8')).toBe('');
});

it('is of one backup', () => {
  open();
  expect(() => open({ key_id: 'other' })).toThrow('begun with another BACKUP_KEY');
  expect(() => open({ base: 'http://127.0.0.1:2' })).toThrow('holds another backup that was begun (base:');
  expect(() => open({ project: 'p' })).toThrow('holds another backup that was begun (project: null)');
});
