import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Directory } from '../../scripts/backup/directory.ts';
import { generateKey, parseKey } from '../../scripts/backup/key.ts';
import { writeManifest } from '../../scripts/backup/manifest.ts';
import { describeFailure, describeMachineFailure } from '../../scripts/describe-failure.ts';
import { describeStartUp, measureStartUp } from '../../scripts/start-up-time.ts';
import { freePort } from './service.ts';

const BACKUP_KEY = generateKey().text;
let folder = '';
let base = '';
let server: Server | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-failures-'));
  base = `http://127.0.0.1:${await freePort()}`;
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  code: number | null;
  said: string;
}

function run(script: string, args: string[] = [], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`scripts/${script}.ts`, ...args], {
      env: { ...process.env, BASE_URL: base, SLUICE_API_KEY: 'slc_key', BACKUP_KEY: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    child.stdout.on('data', (text) => said.push(String(text)));
    child.stderr.on('data', (text) => said.push(String(text)));
    child.once('close', (code) => resolve({ code, said: said.join('') }));
  });
}

function expectOneSentence({ code, said }: Ran, text: string): void {
  expect(said).toContain(text);
  expect(said).not.toMatch(/^ +at /m);
  expect(said.trimEnd().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
}

/** Writes a finished backup that holds nothing. */
function finishedBackup(): string {
  const directory = new Directory(join(folder, 'finished'));
  mkdirSync(join(directory.root, 'tables'), { recursive: true });
  writeFileSync(directory.objectList(), '');
  const key = parseKey(BACKUP_KEY);
  const list = { bytes: 0, sha256: createHash('sha256').digest('hex') };
  writeManifest(
    directory,
    {
      sluice_backup: 1,
      id: crypto.randomUUID(),
      made_at: new Date().toISOString(),
      release: '0.2.0',
      project: null,
      key_id: key.id,
      tables: [],
      objects: { count: 0, bytes: 0, list },
    },
    key,
  );
  return directory.root;
}

describe('unreachable service', () => {
  it.each(['backup/backup', 'backup/restore', 'doctor', 'rotate-secrets'])(
    'ends scripts/%s.ts with one sentence',
    async (script) => {
      const args = script === 'backup/backup' ? [join(folder, 'new')] : [];
      if (script === 'backup/restore') args.push(finishedBackup());
      const ran = await run(script, args, script === 'backup/restore' ? { BACKUP_KEY } : {});
      if (script === 'backup/restore') ran.said = ran.said.replace(/^verified.*\n/gm, '');
      expectOneSentence(
        ran,
        `The service at ${base} does not answer (ECONNREFUSED). Start it with npm start`,
      );
    },
  );

  it('leaves no folder and prints no key', async () => {
    const target = join(folder, 'new');
    const { said } = await run('backup/backup', [target]);
    expect(said).not.toContain('BACKUP_KEY');
    expect(existsSync(target)).toBe(false);
  });

  it('is distinguished from another server at the address', async () => {
    server = createServer((_, response) => void response.end('<html>'));
    await listen(server);
    expectOneSentence(
      await run('doctor'),
      `${base}/health answered 200 without the results of its checks: <html>`,
    );
    expectOneSentence(
      await run('rotate-secrets'),
      'is not JSON. Check that BASE_URL is the address of a Sluice service.',
    );
  });
});

describe('npm run backup without BACKUP_KEY', () => {
  it('prints no new key for a directory with a finished backup', async () => {
    expectOneSentence(await run('backup/backup', [finishedBackup()]), 'already contains a backup');
  });

  it('prints no new key for a backup begun with another one', async () => {
    writeFileSync(join(folder, 'state.json'), '{}');
    expectOneSentence(
      await run('backup/backup', [folder]),
      'Set BACKUP_KEY to the key that was printed at its start',
    );
  });
});

async function listen(what: Server): Promise<void> {
  await new Promise<void>((resolve) => what.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(what.address() as AddressInfo).port}`;
}

/** A device that answers every write with ENOSPC, on Linux. */
const FULL = '/dev/full';

describe.runIf(existsSync(FULL))('full disk', () => {
  const object = { key: 'projects/a/files/b', size: 4, metadata: null };
  const answers: Record<string, unknown> = {
    '/health/live': { status: 'ok' },
    '/api/v1/admin/backup': { release: '0.2.0', tables: [], outside: [], open_syncs: 0 },
    '/api/v1/admin/backup/objects': { objects: [object], next_page_token: null },
  };
  let asked: string[] = [];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      const path = request.url!.split('?')[0]!;
      asked.push(path);
      response.end(path in answers ? JSON.stringify(answers[path]) : 'text');
    });
    await listen(server);
  });

  it('ends a backup with one sentence that names the file', async () => {
    symlinkSync(FULL, join(folder, 'state.json.new'));
    const ran = await run('backup/backup', [folder], { BACKUP_KEY });
    expectOneSentence(ran, 'The disk is full');
  });

  it('ends a download without another request', async () => {
    mkdirSync(join(folder, 'objects'));
    symlinkSync(FULL, join(folder, 'objects', 'arriving-0'));
    const ran = await run('backup/backup', [folder], { BACKUP_KEY });
    expectOneSentence(ran, 'The disk is full');
    expect(asked.filter((path) => path.endsWith('/object'))).toHaveLength(1);
  });
});

describe('error message of a command', () => {
  it('is the sentence of an expected failure or a disk failure', () => {
    class Expected extends Error {}
    expect(describeFailure(new Expected('It is so.'), [Expected])).toBe('It is so.');
    expect(describeFailure('a text')).toBe('a text');
    expect(describeFailure(thrownBy(() => readFileSync(join(folder, 'absent'))))).toBe(
      `The file or folder does not exist: ${join(folder, 'absent')} (ENOENT).`,
    );
  });

  it('includes the stack trace for a bug', () => {
    expect(describeFailure(new TypeError('x is undefined'))).toMatch(/^ +at /m);
    expect(describeMachineFailure(Object.assign(new Error('down'), { code: 'ECONNRESET' }))).toBeUndefined();
    expect(describeMachineFailure(undefined)).toBeUndefined();
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (cause) {
    return cause;
  }
}

it('start-up time is undefined for a Worker that cannot be profiled', () => {
  const time = measureStartUp(join(folder, 'absent.toml'), join(folder, 'profile'));
  expect(time).toBeUndefined();
  expect(describeStartUp(time)).toContain('could not be measured');
  expect(describeStartUp(12.3)).toContain('12 ms start-up time');
});
