import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketFiles, databaseFile } from '../../scripts/local-state/miniflare-files.ts';
import { acquireState } from '../../scripts/state-lock.ts';
import { unpackState } from './recorded/packed-state.ts';
import { readRecorded, recordedReleases, stateFile } from './recorded/recorded.ts';

const [release] = recordedReleases();
const MARKER = 'a sentence about the lighthouse keeper that nobody may read any more';
let folder = '';
let state = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
  state = join(folder, 'state');
  unpackState(readFileSync(stateFile(release!)), state, readRecorded(release!).recordedAt);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(command: 'reset' | 'compact', stateDir: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${command}.ts`], {
    env: { ...process.env, STATE_DIR: stateDir },
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const filesWith = (text: string): string[] =>
  globSync('**/*', { cwd: state })
    .filter((name) => statSync(join(state, name)).isFile())
    .filter((name) => readFileSync(join(state, name)).includes(text));

describe('npm run reset', () => {
  it('deletes the folder of STATE_DIR and names it', () => {
    const { code, out } = run('reset', state);
    expect(code).toBe(0);
    expect(out).toContain(`Deleted the state in ${state}`);
    expect(existsSync(state)).toBe(false);
    expect(run('reset', state)).toMatchObject({ code: 0, out: `${state} contains no state.\n` });
  });

  it('empties the folder behind a symbolic link and keeps the link', () => {
    const link = join(folder, 'link');
    symlinkSync(state, link);
    expect(run('reset', link).code).toBe(0);
    expect([globSync('*', { cwd: state }), existsSync(link)]).toEqual([[], true]);
  });

  it.each([
    ['another file', 'letters.txt'],
    ['another folder', join('photographs', 'boat.jpg')],
  ])('refuses a folder that contains %s', (_, name) => {
    mkdirSync(dirname(join(state, name)), { recursive: true });
    writeFileSync(join(state, name), 'mine');
    const { code, err } = run('reset', state);
    expect(code).toBe(1);
    expect(err).toBe(
      `${state} does not look like a state folder of Sluice: it contains ${name.split('/')[0]}. Nothing was changed.\n`,
    );
    expect(readFileSync(join(state, name), 'utf8')).toBe('mine');
    expect(existsSync(databaseFile(state))).toBe(true);
  });

  it('refuses a folder whose v3 folder has no database', () => {
    const other = join(folder, 'other');
    mkdirSync(join(other, 'v3', 'drafts'), { recursive: true });
    expect(run('reset', other)).toMatchObject({
      code: 1,
      err: expect.stringContaining('v3 contains no database'),
    });
    expect(existsSync(join(other, 'v3', 'drafts'))).toBe(true);
  });

  it('ends with one sentence if the path is a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'mine');
    expect(run('reset', file)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is a file.*\n$/),
    });
  });
});

it.each(['reset', 'compact'] as const)(
  'npm run %s refuses while a service uses the state',
  async (command) => {
    // The kernel accepts the command's connection to the lock while this process waits for the command.
    const release = await acquireState(state);
    const before = readFileSync(databaseFile(state));
    const { code, err } = run(command, state);
    expect(code).toBe(1);
    expect(err).toBe(`The state folder ${state} is in use by a running Sluice. Stop it first.\n`);
    expect(readFileSync(databaseFile(state)).equals(before)).toBe(true);
    release?.();
    expect(run(command, state).code).toBe(0);
  },
);

describe('npm run compact', () => {
  it('removes deleted text from all files', () => {
    const database = new DatabaseSync(databaseFile(state));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF');
    const insert = database.prepare('INSERT INTO dead_letters (id, type, message) VALUES (?, ?, ?)');
    for (let count = 0; count < 50; count += 1) insert.run(`letter ${count}`, 'extract', MARKER.repeat(200));
    database.exec("DELETE FROM dead_letters WHERE id LIKE 'letter %'");
    database.close();
    const { blobs } = bucketFiles(state);
    writeFileSync(join(blobs, 'unused'), MARKER);
    expect(filesWith(MARKER)).toHaveLength(2);
    const kept = globSync('*', { cwd: blobs }).length - 1;

    const { code, out } = run('compact', state);
    expect(code).toBe(0);
    expect(out).toMatch(/^Rewrote \d+ databases in .* and deleted 1 unused file\./);
    expect(filesWith(MARKER)).toEqual([]);
    expect(globSync('*', { cwd: blobs })).toHaveLength(kept);
  });

  it('keeps every row of every table', () => {
    const before = countRows();
    expect(before.size).toBeGreaterThan(100);
    expect(run('compact', state).code).toBe(0);
    expect(countRows()).toEqual(before);
  });

  it('reports that there is no state', () => {
    const empty = join(folder, 'empty');
    expect(run('compact', empty)).toMatchObject({ code: 0, out: `${empty} contains no state.\n` });
    expect(existsSync(empty)).toBe(false);
  });
});

/** Counts the rows of each table in each SQLite file of the state. */
function countRows(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of globSync('v3/**/*.sqlite', { cwd: state })) {
    const database = new DatabaseSync(join(state, file));
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    for (const { name } of tables) {
      const { n } = database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()!;
      counts.set(`${file} ${name}`, Number(n));
    }
    database.close();
  }
  return counts;
}
