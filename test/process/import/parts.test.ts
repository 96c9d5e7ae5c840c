import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from '#scripts/import/api.ts';
import { resolveContentUrl } from '#scripts/import/content-url.ts';
import { RequestFailure } from '#scripts/import/failures.ts';
import { findMaskedPaths, removeNulls, replaceAt } from '#scripts/import/masks.ts';
import { readOptions } from '#scripts/import/options.ts';
import { formatSize, Redactor, toPrintable } from '#scripts/import/output.ts';
import { runInPool } from '#scripts/import/pool.ts';
import { DEFAULT_RETRY_POLICY, getWaitMs, retryAfterMs } from '#scripts/import/retries.ts';
import { readSecrets, Secrets } from '#scripts/import/secrets.ts';
import { State } from '#scripts/import/state.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-parts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('retry policy', () => {
  it('parses both forms of Retry-After', () => {
    expect(retryAfterMs('7')).toBe(7000);
    expect(retryAfterMs('Sun, 22 Nov 2026 10:00:10 GMT', Date.UTC(2026, 10, 22, 10))).toBe(10_000);
    expect(retryAfterMs('Sun, 22 Nov 2020 10:00:10 GMT', Date.UTC(2026, 10, 22, 10))).toBe(0);
    expect(retryAfterMs('soon')).toBeUndefined();
    expect(retryAfterMs(null)).toBeUndefined();
  });

  it('backs off, respects Retry-After and ends', () => {
    const passing = new RequestFailure('', { isTransient: true });
    expect(getWaitMs(2, passing, DEFAULT_RETRY_POLICY)).toBeLessThanOrEqual(500);
    expect(getWaitMs(5, passing, DEFAULT_RETRY_POLICY)).toBeGreaterThanOrEqual(2000);
    expect(getWaitMs(8, passing, DEFAULT_RETRY_POLICY)).toBeUndefined();
    expect(getWaitMs(2, new RequestFailure(''), DEFAULT_RETRY_POLICY)).toBeUndefined();
    const asking = new RequestFailure('', { isTransient: true, retryAfterMs: 60_000 });
    expect(getWaitMs(2, asking, DEFAULT_RETRY_POLICY)).toBe(60_000);
  });
});

describe('inPool', () => {
  it('respects the concurrency limit and completes all items', async () => {
    let under = 0;
    let most = 0;
    let done = 0;
    await runInPool(Array(20).keys(), 3, async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 1));
      under -= 1;
      done += 1;
    });
    expect([most, done]).toEqual([3, 20]);
  });
});

/** Starts a process that takes the lock and is killed. */
async function holdUntilKilled(lock: string): Promise<void> {
  const script = `import('./scripts/state-lock.ts').then(async ({ takeState }) => {
    await takeState(${JSON.stringify(lock)});
    console.log('held');
    setInterval(() => {}, 1000);
  })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
}

describe('import state', () => {
  const way = { from: 'a', from_project: 'p', to: 'b', to_project: 'q' };

  it('stores entries and drops an incomplete last line', async () => {
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
    expect([third.isCopy('file', '4'), third.isCopy('pipeline', '4')]).toEqual([true, false]);
    third.close();
  });

  it('restarts if the first line is incomplete', async () => {
    const path = join(folder, 'empty.jsonl');
    writeFileSync(path, '{"sluice_im');
    (await State.open(path, way)).close();
    (await State.open(path, way)).close();
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('belongs to one import and one process', async () => {
    const path = join(folder, 'one.jsonl');
    const state = await State.open(path, way);
    await expect(State.open(path, way)).rejects.toThrow(/Another import is using this state file/);
    state.close();
    await expect(State.open(path, { ...way, to: 'c' })).rejects.toThrow(
      /belongs to an import with other servers or projects \(to: b\)/,
    );
    // Lock of a killed process.
    await holdUntilKilled(`${path}.lock`);
    (await State.open(path, way)).close();
    writeFileSync(path, 'a letter\n');
    await expect(State.open(path, way)).rejects.toThrow(/is not a state file of an import/);
  });
});

describe('masked secrets', () => {
  const component = { key: '********', uri: 'https://***@host', list: [{ token: '•••••' }], text: 'a ** b' };

  it('are found as whole values or within text', () => {
    expect(findMaskedPaths(component, false)).toEqual([['key'], ['list', 0, 'token']]);
    expect(findMaskedPaths(component, true)).toEqual([['key'], ['uri'], ['list', 0, 'token']]);
  });

  it('are replaced or removed in a copy', () => {
    expect(replaceAt(component, ['list', 0, 'token'], 'x')).toMatchObject({ list: [{ token: 'x' }] });
    expect(replaceAt(component, ['key'], undefined)).not.toHaveProperty('key');
    expect(replaceAt({ list: [1, 2] }, ['list', 0], undefined)).toEqual({ list: [2] });
    expect(component.key).toBe('********');
  });

  it('removing nulls keeps nulls in lists', () => {
    expect(removeNulls({ a: null, b: { c: null, d: [1, null] } })).toEqual({ b: { d: [1, null] } });
  });
});

describe('provided secrets', () => {
  it('with a wrong shape are named without their values', () => {
    const wrong = () => new Secrets({ data_sinks: { pine: 'the-secret' } }, undefined, new Redactor());
    expect(wrong).toThrow(/The error is at data_sinks\.pine/);
    expect(wrong).not.toThrow(/the-secret/);
    expect(() => readSecrets(undefined, '{"the-secret')).toThrow('IMPORT_SECRETS is not valid JSON.');
  });

  it('are requested only if missing', async () => {
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

describe('printed text', () => {
  it('is shortened to one line', () => {
    expect(toPrintable('a\n\u001b[2Jb\u202e')).toBe('a [2Jb');
    expect(toPrintable('😀'.repeat(10), 3)).toBe('😀😀😀…');
    expect([formatSize(0), formatSize(1023), formatSize(1536), formatSize(5 * 1024 ** 3)]).toEqual([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '5.0 GiB',
    ]);
  });

  it('contains no secret in any encoding', () => {
    const redactor = new Redactor();
    redactor.add({ deep: ['p@ss/word"', 'p@ss'] });
    expect(redactor.clean('p@ss/word" p%40ss%2Fword%22 p@ss/word\\" p@ss abc')).not.toMatch(/p@ss|p%40ss/);
    redactor.add('abc');
    expect(redactor.clean('abc')).toBe('abc');
  });
});

describe('import options', () => {
  const keys = { IMPORT_FROM_KEY: 'f', IMPORT_TO_KEY: 't' };
  const both = ['--from', 'https://a.example/', '--to', 'http://b.example/compat/'];

  it('read keys from the environment and strip trailing slashes from URLs', () => {
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
    'no address': [['--from', 'a.example', ...both.slice(2)], /--from must be the address of a server/],
    'a key in the address': [
      ['--from', 'https://u:sec@a.example', ...both.slice(2)],
      /without user, query or fragment/,
    ],
    'too much at a time': [[...both, '--concurrency', '1000'], /--concurrency/],
    'an unknown option': [[...both, '--form-key=sec'], /Unknown option '--form-key'/],
    'a stray word': [[...both, 'sec'], /An argument is not an option/],
  };
  for (const [name, [args, why]] of Object.entries(wrong)) {
    it(`reject ${name}`, () => {
      expect(() => readOptions(args, keys)).toThrow(why);
      expect(() => readOptions(args, keys)).not.toThrow(/\bsec\b/);
    });
  }
});

describe('storage URL', () => {
  it('may not point to a private network for a public server', async () => {
    const api = (base: string) => new Api('source', base, 'key', DEFAULT_RETRY_POLICY, new Redactor());
    const metadata = 'http://169.254.169.254/latest';
    await expect(
      resolveContentUrl(api('https://93.184.216.34'), metadata, 'https://93.184.216.34'),
    ).rejects.toThrow(/returned a URL in this private network, 169\.254\.169\.254/);
    await expect(resolveContentUrl(api('https://93.184.216.34'), 'http://[::1]/', 'x:')).rejects.toThrow(
      /\[::1\]/,
    );
    expect((await resolveContentUrl(api('http://127.0.0.1:1'), 'http://10.0.0.1/a', 'x:')).host).toBe(
      '10.0.0.1',
    );
    expect(
      (await resolveContentUrl(api('https://93.184.216.34'), '/b', 'https://93.184.216.34/a')).pathname,
    ).toBe('/b');
  });
});
