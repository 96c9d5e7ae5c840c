import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '#scripts/import/addresses.ts';
import { Api } from '#scripts/import/api.ts';
import { RequestFailure } from '#scripts/import/failures.ts';
import { maskedPlaces, replacedAt, withoutNulls } from '#scripts/import/masks.ts';
import { readOptions } from '#scripts/import/options.ts';
import { PATIENCE, retryAfterMs, waitBefore } from '#scripts/import/patience.ts';
import { inPool } from '#scripts/import/pool.ts';
import { readSecrets, Secrets } from '#scripts/import/secrets.ts';
import { State } from '#scripts/import/state.ts';
import { printable, Redactor, sizeOf } from '#scripts/import/tell.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-parts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('patience', () => {
  it('reads both forms of Retry-After', () => {
    expect(retryAfterMs('7')).toBe(7000);
    expect(retryAfterMs('Sun, 22 Nov 2026 10:00:10 GMT', Date.UTC(2026, 10, 22, 10))).toBe(10_000);
    expect(retryAfterMs('Sun, 22 Nov 2020 10:00:10 GMT', Date.UTC(2026, 10, 22, 10))).toBe(0);
    expect(retryAfterMs('soon')).toBeUndefined();
    expect(retryAfterMs(null)).toBeUndefined();
  });

  it('grows, heeds what the server asks, and ends', () => {
    const passing = new RequestFailure('', { passing: true });
    expect(waitBefore(2, passing, PATIENCE)).toBeLessThanOrEqual(500);
    expect(waitBefore(5, passing, PATIENCE)).toBeGreaterThanOrEqual(2000);
    expect(waitBefore(8, passing, PATIENCE)).toBeUndefined();
    expect(waitBefore(2, new RequestFailure(''), PATIENCE)).toBeUndefined();
    const asking = new RequestFailure('', { passing: true, retryAfterMs: 60_000 });
    expect(waitBefore(2, asking, PATIENCE)).toBe(60_000);
  });
});

describe('the pool', () => {
  it('keeps to its width and does all', async () => {
    let under = 0;
    let most = 0;
    let done = 0;
    await inPool(Array(20).keys(), 3, async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 1));
      under -= 1;
      done += 1;
    });
    expect([most, done]).toEqual([3, 20]);
  });
});

/** Another process takes the lock, and is killed with it. */
async function holdUntilKilled(lock: string): Promise<void> {
  const script = `import('./scripts/state-lock.ts').then(async ({ holdState }) => {
    await holdState(${JSON.stringify(lock)});
    console.log('held');
    setInterval(() => {}, 1000);
  })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
}

describe('the state', () => {
  const way = { from: 'a', from_project: 'p', to: 'b', to_project: 'q' };

  it('keeps what was put, and drops a line that was cut off', async () => {
    const path = join(folder, 'cut.jsonl');
    const first = await State.open(path, way);
    first.put({ kind: 'file', from: '1', to: '2' });
    first.close();
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"kind":"file","fr`);
    const second = await State.open(path, way);
    second.put({ kind: 'file', from: '3', to: '4' });
    second.close();
    const third = await State.open(path, way);
    expect([third.get('file', '1'), third.get('file', '3')]).toEqual(['2', '4']);
    expect([third.isTaken('file', '4'), third.isTaken('pipeline', '4')]).toEqual([true, false]);
    third.close();
  });

  it('begins anew when a kill left only half of its first line', async () => {
    const path = join(folder, 'empty.jsonl');
    writeFileSync(path, '{"sluice_im');
    (await State.open(path, way)).close();
    (await State.open(path, way)).close();
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('is of one move and of one process', async () => {
    const path = join(folder, 'one.jsonl');
    const state = await State.open(path, way);
    await expect(State.open(path, way)).rejects.toThrow(/Another import is under way/);
    state.close();
    await expect(State.open(path, { ...way, to: 'c' })).rejects.toThrow(/belongs to another move \(to: b\)/);
    // Of a process that was killed.
    await holdUntilKilled(`${path}.lock`);
    (await State.open(path, way)).close();
    writeFileSync(path, 'a letter\n');
    await expect(State.open(path, way)).rejects.toThrow(/is not the state of an import/);
  });
});

describe('masks', () => {
  const component = { key: '********', uri: 'https://***@host', list: [{ token: '•••••' }], text: 'a ** b' };

  it('are found as whole values or within texts', () => {
    expect(maskedPlaces(component, false)).toEqual([['key'], ['list', 0, 'token']]);
    expect(maskedPlaces(component, true)).toEqual([['key'], ['uri'], ['list', 0, 'token']]);
  });

  it('are replaced and taken out without touching what was read', () => {
    expect(replacedAt(component, ['list', 0, 'token'], 'x')).toMatchObject({ list: [{ token: 'x' }] });
    expect(replacedAt(component, ['key'], undefined)).not.toHaveProperty('key');
    expect(replacedAt({ list: [1, 2] }, ['list', 0], undefined)).toEqual({ list: [2] });
    expect(component.key).toBe('********');
  });

  it('leave nulls of lists alone', () => {
    expect(withoutNulls({ a: null, b: { c: null, d: [1, null] } })).toEqual({ b: { d: [1, null] } });
  });
});

describe('secrets', () => {
  it('of a wrong shape are named without their values', () => {
    const wrong = () => new Secrets({ data_sinks: { pine: 'the-secret' } }, undefined, new Redactor());
    expect(wrong).toThrow(/see data_sinks\.pine/);
    expect(wrong).not.toThrow(/the-secret/);
    expect(() => readSecrets(undefined, '{"the-secret')).toThrow('IMPORT_SECRETS is not JSON.');
  });

  it('are asked for only where none was given', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return '';
    };
    const secrets = new Secrets({ data_sinks: { s: { a: 'given' } } }, ask, new Redactor());
    const of = { group: 'data_sinks', name: 's' } as const;
    const filled = await secrets.fill(of, { a: '****', b: '****' }, { required: ['a', 'c'] });
    expect(filled).toEqual({ value: { a: 'given', b: '****' }, missing: [['b'], ['c']] });
    expect(asked).toEqual(['data sink s, b: ', 'data sink s, c: ']);
  });
});

describe('texts', () => {
  it('are shown on one line, and cut', () => {
    expect(printable('a\n\u001b[2Jb\u202e')).toBe('a [2Jb');
    expect(printable('😀'.repeat(10), 3)).toBe('😀😀😀…');
    expect([sizeOf(0), sizeOf(1023), sizeOf(1536), sizeOf(5 * 1024 ** 3)]).toEqual([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '5.0 GiB',
    ]);
  });

  it('hold no secret in any of its forms', () => {
    const redactor = new Redactor();
    redactor.add({ deep: ['p@ss/word"', 'p@ss'] });
    expect(redactor.clean('p@ss/word" p%40ss%2Fword%22 p@ss/word\\" p@ss abc')).not.toMatch(/p@ss|p%40ss/);
    redactor.add('abc');
    expect(redactor.clean('abc')).toBe('abc');
  });
});

describe('options', () => {
  const keys = { IMPORT_FROM_KEY: 'f', IMPORT_TO_KEY: 't' };
  const both = ['--from', 'https://a.example/', '--to', 'http://b.example/compat/'];

  it('take keys from the environment, and addresses without their last slash', () => {
    expect(readOptions([...both, '--pipeline', 'x', '--pipeline', 'y'], keys)).toMatchObject({
      from: 'https://a.example',
      fromKey: 'f',
      to: 'http://b.example/compat',
      toKey: 't',
      pipelines: ['x', 'y'],
      state: 'import-state.jsonl',
      concurrency: 4,
      verify: true,
    });
    expect(readOptions(['--help'], {})).toBeUndefined();
  });

  const wrong: Record<string, [string[], RegExp]> = {
    'no target': [['--from', 'https://a.example'], /--to is missing/],
    'no address': [['--from', 'a.example', ...both.slice(2)], /--from is the address of a server/],
    'a key in the address': [['--from', 'https://u:sec@a.example', ...both.slice(2)], /takes no user/],
    'too much at a time': [[...both, '--concurrency', '1000'], /--concurrency/],
    'an unknown option': [[...both, '--form-key=sec'], /Unknown option '--form-key'/],
    'a stray word': [[...both, 'sec'], /Only options are taken/],
  };
  for (const [name, [args, why]] of Object.entries(wrong)) {
    it(`refuse ${name}`, () => {
      expect(() => readOptions(args, keys)).toThrow(why);
      expect(() => readOptions(args, keys)).not.toThrow(/\bsec\b/);
    });
  }
});

describe('where bytes are said to be', () => {
  it('is not this network, when the server is on the internet', async () => {
    const api = (base: string) => new Api('source', base, 'key', PATIENCE, new Redactor());
    const metadata = 'http://169.254.169.254/latest';
    await expect(addressOf(api('https://93.184.216.34'), metadata, 'https://93.184.216.34')).rejects.toThrow(
      /names an address of this network, 169\.254\.169\.254/,
    );
    await expect(addressOf(api('https://93.184.216.34'), 'http://[::1]/', 'x:')).rejects.toThrow(/\[::1\]/);
    expect((await addressOf(api('http://127.0.0.1:1'), 'http://10.0.0.1/a', 'x:')).host).toBe('10.0.0.1');
    expect((await addressOf(api('https://93.184.216.34'), '/b', 'https://93.184.216.34/a')).pathname).toBe(
      '/b',
    );
  });
});
