import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { readRelease } from '../../scripts/deploy/release.ts';
import { databaseFile } from '../../scripts/local-state/miniflare-files.ts';
import { StateRefused } from '../../scripts/local-state/refused.ts';
import { RELEASE_NOTE, writeReleaseNote } from '../../scripts/local-state/release-note.ts';
import { readLocalSchema, requireKnownSchema } from '../../scripts/local-state/schema.ts';
import {
  findChangedMigrations,
  hashMigration,
  LANDED,
  type LandedHashes,
  readMigrations,
} from '../../scripts/migrations/landed.ts';
import { unpackState } from './recorded/packed-state.ts';
import { readRecorded, recordedReleases, stateFile } from './recorded/recorded.ts';

const migrations = readMigrations();
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-state-'));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Makes a state folder whose database has applied the first migrations, and then the given statements. */
function stateWith(count: number, statements = ''): string {
  const state = newFolder();
  const file = databaseFile(state);
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF');
  database.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)');
  database.exec('CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)');
  for (const { name, sql } of migrations.slice(0, count)) {
    database.exec(sql);
    database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name);
  }
  database.exec(statements);
  database.close();
  return state;
}

async function refusalFor(state: string): Promise<string> {
  const before = readFileSync(databaseFile(state));
  const cause = await requireKnownSchema(state).catch((error: unknown) => error);
  expect(cause).toBeInstanceOf(StateRefused);
  expect(readFileSync(databaseFile(state)).equals(before)).toBe(true);
  return (cause as StateRefused).message;
}

describe('state folder schema', () => {
  it('is empty if there is no folder, no database, or a database without tables', async () => {
    const state = newFolder();
    expect(await requireKnownSchema(join(state, 'absent'))).toEqual({ kind: 'empty' });
    expect(await requireKnownSchema(state)).toEqual({ kind: 'empty' });
    expect(await requireKnownSchema(stateWith(0))).toEqual({ kind: 'empty' });
  });

  it('is current if every migration was applied', async () => {
    expect(await requireKnownSchema(stateWith(migrations.length))).toEqual({ kind: 'current' });
  });

  it.each(recordedReleases())('can be migrated from release %s', async (release) => {
    const state = newFolder();
    const recorded = readRecorded(release);
    unpackState(readFileSync(stateFile(release)), state, recorded.recordedAt);
    const pending = migrations.map(({ name }) => name).filter((name) => !recorded.migrations.includes(name));
    const expected = pending.length > 0 ? { kind: 'older', pending } : { kind: 'current' };
    expect(await requireKnownSchema(state)).toEqual(expected);
  });

  it('is rejected if a later release wrote it, with the name of that release', async () => {
    const later = "INSERT INTO d1_migrations (name) VALUES ('9000_later.sql')";
    const state = stateWith(migrations.length, later);
    expect(await refusalFor(state)).toMatch(/written by a later release.*9000_later\.sql/);
    writeFileSync(join(state, RELEASE_NOTE), '{"release":"99.1.0","readableBy":"99.0.0"}');
    expect(await refusalFor(state)).toMatch(
      /written by release 99\.1\.0.*A rollback.*is not possible.*99\.0\.0 or later/s,
    );
    await expect(requireKnownSchema(state, { olderRelease: true })).rejects.toThrow(StateRefused);
    writeFileSync(join(state, RELEASE_NOTE), 'not JSON');
    expect(await refusalFor(state)).toMatch(/written by a later release/);
  });

  it('of a later release is accepted with OLDER_RELEASE if that release allows it', async () => {
    const state = stateWith(migrations.length, "INSERT INTO d1_migrations (name) VALUES ('9000_later.sql')");
    const newer = { kind: 'newer', unknown: ['9000_later.sql'] };
    expect(await requireKnownSchema(state, { olderRelease: true })).toEqual(newer);
    writeFileSync(join(state, RELEASE_NOTE), '{"release":"99.1.0","readableBy":"0.1.0"}');
    expect(await refusalFor(state)).toContain('OLDER_RELEASE=true npm start');
    expect(await requireKnownSchema(state, { olderRelease: true })).toEqual(newer);
    const rewritten = stateWith(migrations.length, 'CREATE TABLE boats (id text)');
    await expect(requireKnownSchema(rewritten, { olderRelease: true })).rejects.toThrow(StateRefused);
  });

  it.each([
    [
      'DROP INDEX api_keys_by_parent; ALTER TABLE api_keys DROP COLUMN parent_id',
      'column api_keys.parent_id',
    ],
    ['DROP TABLE dead_letters', 'table dead_letters is missing'],
    ['ALTER TABLE projects ADD COLUMN colour text', 'column projects.colour is not created by any migration'],
    ['CREATE TABLE boats (id text)', 'table boats is not created by any migration'],
    ['DROP TRIGGER project_storage_in', 'trigger project_storage_in is missing'],
    ['DROP INDEX parse_jobs_by_file', 'index parse_jobs_by_file is missing'],
    ['CREATE UNIQUE INDEX strict ON projects (name)', 'index strict is not created by any migration'],
    ["DELETE FROM d1_migrations WHERE name LIKE '0001%'", 'instead of 0001_dead_letters.sql'],
    ['DELETE FROM d1_migrations', 'records no migration'],
  ])('is rejected after %s', async (statements, difference) => {
    const refusal = await refusalFor(stateWith(migrations.length, statements));
    expect(refusal).toContain(difference);
    expect(refusal).toContain('npm run backup');
  });

  it('is refused if an applied migration was changed afterwards', async () => {
    const state = stateWith(migrations.length);
    const [first, ...rest] = migrations;
    const changed = { ...first!, sql: `${first!.sql}\nALTER TABLE \`users\` ADD \`nickname\` text;` };
    expect(await readLocalSchema(state, [changed, ...rest])).toEqual({
      kind: 'unknown',
      difference: 'column users.nickname is missing',
    });
  });

  it('may have additional indexes that reject no write', async () => {
    const state = stateWith(migrations.length, 'CREATE INDEX own ON projects (name)');
    expect(await requireKnownSchema(state)).toEqual({ kind: 'current' });
  });

  it('is reported with the release that last used the folder', async () => {
    const state = stateWith(migrations.length, 'CREATE TABLE boats (id text)');
    writeReleaseNote(state);
    expect(statSync(join(state, RELEASE_NOTE)).isFile()).toBe(true);
    expect(await refusalFor(state)).toContain(`last used by release ${readRelease().release}`);
  });
});

describe('released migrations', () => {
  const landed = JSON.parse(readFileSync(LANDED, 'utf8')) as LandedHashes;
  const [first, ...rest] = migrations;

  it('have their recorded contents', () => {
    expect(findChangedMigrations(migrations, landed)).toEqual([]);
  });

  it('cannot be changed, removed or added without a hash', () => {
    const changed = { ...first!, sql: `${first!.sql}-- A comment.\n` };
    const problem = `The released migration ${first!.name} was changed`;
    expect(findChangedMigrations([changed, ...rest], landed)).toEqual([expect.stringContaining(problem)]);
    expect(findChangedMigrations(rest, landed)).toEqual([expect.stringContaining('is missing')]);
    const added = { name: '9000_later.sql', sql: 'SELECT 1;' };
    expect(findChangedMigrations([...migrations, added], landed)).toEqual([
      expect.stringContaining(hashMigration(added)),
    ]);
  });

  it('keep their recorded hash', () => {
    const changed = { ...first!, sql: `${first!.sql}-- A comment.\n` };
    const rewritten = { ...landed, [first!.name]: hashMigration(changed) };
    expect(findChangedMigrations([changed, ...rest], rewritten, [landed])).toEqual([
      expect.stringContaining('no longer has the hash'),
    ]);
  });
});
