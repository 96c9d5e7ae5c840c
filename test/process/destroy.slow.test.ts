import { expect, it } from 'vitest';
import { isWrite } from './deploy/platform-server.ts';
import { useStage } from './deploy/stage.ts';

const stage = useStage();
const { server } = stage;
const bucket = () => server.stores.buckets.get('sluice-files')!;

function left() {
  const { databases, buckets, queues, indexes } = server.stores;
  return databases.size + buckets.size + queues.size + indexes.size + server.scripts.scripts.size;
}

it('requires the typed name and then deletes exactly the resources of the installation', async () => {
  await stage.startDeployed('--vectorize', '768');
  for (let number = 0; number < 2300; number += 1) bucket().add(`projects/p/ü ${number}%?#.txt`);
  server.stores.buckets.set('somebody-elses', new Set(['kept']));
  const before = server.writes.length;
  for (const options of [[], ['--confirm', 'sluic'], ['--dry-run', '--confirm', 'sluice']]) {
    const { code, out } = await stage.destroy(...options);
    expect(code).toBe(options.includes('--dry-run') ? 0 : 1);
    expect(out).toContain('the bucket sluice-files with all objects');
    expect(out).toContain('the Vectorize index sluice-768');
  }
  expect(server.writes.slice(before)).toEqual([]);
  const { code, err } = await stage.destroy('--confirm', 'sluice');
  expect(code, err).toBe(0);
  expect([...server.stores.buckets.keys()]).toEqual(['somebody-elses']);
  expect(left()).toBe(1);
  expect(stage.hasInstallation()).toBe(false);
  expect((await stage.destroy('--confirm', 'sluice')).err).toContain('nothing was deployed from this folder');
});

it('resumes after a kill at each call', async () => {
  await stage.startDeployed('--vectorize', '768');
  for (const key of ['a', 'b/c']) bucket().add(key);
  const interrupted = new Set<string>();
  server.trick = (call, done) => {
    const name = `${call.method} ${call.path}`;
    if (!done || !isWrite(call) || interrupted.has(name)) return undefined;
    interrupted.add(name);
    stage.kill();
    return 'break';
  };
  for (let code: number | null = null; code !== 0; ) {
    const before = interrupted.size;
    const outcome = await stage.destroy('--confirm', 'sluice');
    code = outcome.code;
    expect(code === 0 || interrupted.size > before, outcome.err).toBe(true);
  }
  expect(left()).toBe(0);
  expect(stage.hasInstallation()).toBe(false);
});

it('retries when the platform is busy', async () => {
  await stage.startDeployed('--vectorize', '768');
  for (let number = 0; number < 20; number += 1) bucket().add(`${number}`);
  server.busyOnce = /objects\/7$/;
  const { code, err } = await stage.destroy('--confirm', 'sluice');
  expect(code, err).toBe(0);
  expect(server.busyOnce).toBeUndefined();
  expect(left()).toBe(0);
});
