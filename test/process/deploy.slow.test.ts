import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Command } from './deploy/command.ts';
import { isWrite, TOKEN } from './deploy/platform-server.ts';
import { KEY, useStage } from './deploy/stage.ts';

const stage = useStage();
const { server } = stage;

const SECRETS = ['BOOTSTRAP_API_KEY', 'ENCRYPTION_KEY', 'SESSION_SECRET'];
const QUEUES = ['classify', 'dead-letter', 'extract', 'ingestion', 'interactive', 'webhooks'].map(
  (name) => `sluice-${name}`,
);
const listStoreNames = (stores: Map<string, { name: string }>) =>
  [...stores.values()].map(({ name }) => name).toSorted();

it('deploys to an empty account, redeploys without changes and destroys the installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-installation-'));
  const file = join(folder, 'installation.json');
  const name = 'whole-project';
  const command = new Command(server, process.cwd());
  try {
    const place = ['--installation', file, '--wait', '30'];
    const options = [...place, '--name', name, '--url', server.origin, '--subdomain', 'tests'];
    const first = await command.run('scripts/deploy/main.ts', options);
    expect(first.code, first.err).toBe(0);
    expect(first.out).toContain(`Console    ${server.origin}/console/`);
    expect(first.out.match(KEY)?.[1]).toBe(stage.getSecrets(name).get('BOOTSTRAP_API_KEY'));
    expect([...stage.getSecrets(name).keys()].toSorted()).toEqual(SECRETS);
    expect(stage.uploads()).toEqual({ [`${name}-ocr`]: 1, [`${name}-parser`]: 1, [name]: 1 });
    for (const secret of [...stage.getSecrets(name).values(), TOKEN]) {
      expect(readFileSync(file, 'utf8')).not.toContain(secret);
    }
    const before = server.writes.length;
    // Without these files, as in another checkout, every Worker is bundled again to compare it.
    rmSync(join('dist/deploy', name), { recursive: true });
    const second = await command.run('scripts/deploy/main.ts', place);
    expect(second.code, second.err).toBe(0);
    expect(second.out).toContain('Everything was up to date');
    expect(second.out).not.toMatch(KEY);
    expect(server.writes.slice(before)).toEqual([]);
    const gone = await command.run('scripts/deploy/destroy.ts', ['--installation', file, '--confirm', name]);
    expect(gone.code, gone.err).toBe(0);
    const { databases, buckets, queues } = server.stores;
    expect(server.scripts.scripts.size + databases.size + buckets.size + queues.size).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(join('dist/deploy', name), { recursive: true, force: true });
  }
});

it('changes nothing in a dry run', async () => {
  const { code, out, err } = await stage.deploy('--dry-run', '--vectorize', '1024');
  expect(code, err).toBe(0);
  for (const line of [
    'register the workers.dev subdomain of the account',
    'create the database sluice',
    'create the bucket sluice-files',
    'create the queue sluice-dead-letter',
    'create the Vectorize index sluice-1024 with 1024 dimensions',
    'apply the migration 0000_first.sql',
    'generate the secrets SESSION_SECRET, ENCRYPTION_KEY, BOOTSTRAP_API_KEY',
    'create the Worker sluice-parser',
  ]) {
    expect(out).toContain(line);
  }
  expect(server.writes).toEqual([]);
  expect(stage.hasInstallation()).toBe(false);
});

it('resumes after a kill at each step', async () => {
  const keys: string[] = [];
  const interrupted = new Set<string>();
  server.trick = (call, done) => {
    // Interrupts only the first of the queue consumer calls.
    const name = `${call.method} ${call.path.replace(/^queues\/.*(?=\/consumers)/, 'queues/*')}`;
    if (!done || !isWrite(call) || interrupted.has(name)) return undefined;
    interrupted.add(name);
    stage.kill();
    return 'break';
  };
  for (let code: number | null = null; code !== 0; ) {
    const before = interrupted.size;
    const outcome = await stage.deploy();
    code = outcome.code;
    const key = outcome.out.match(KEY)?.[1];
    if (key) keys.push(key);
    // Each run gets further than the previous one or finishes.
    expect(code === 0 || interrupted.size > before, outcome.out + outcome.err).toBe(true);
  }
  expect(interrupted.size).toBeGreaterThan(15);
  expect(listStoreNames(server.stores.databases)).toEqual(['sluice']);
  expect(listStoreNames(server.stores.queues)).toEqual(QUEUES);
  expect([...stage.getSecrets('sluice').keys()].toSorted()).toEqual(SECRETS);
  // The last printed key is the valid one.
  expect(stage.getSecrets('sluice').get('BOOTSTRAP_API_KEY')).toBe(keys.at(-1));
  const before = server.writes.length;
  const again = await stage.deploy();
  expect(again.out).toContain('Everything was up to date');
  expect(server.writes.slice(before)).toEqual([]);
});
