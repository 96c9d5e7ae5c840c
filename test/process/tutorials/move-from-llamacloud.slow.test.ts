import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Service } from '../service.ts';
import { findMissingLine, LANGUAGES, Tutorial } from './tutorial.ts';
import { Workspace } from './workspace.ts';

const tutorial = new Tutorial('move-from-llamacloud');
const [setAddresses, useOldService, dryRun, copy, useNewService] = tutorial.labelled('Terminal');
const [firstRun, listed, copied, secondRun] = tutorial.outputs();
const old = new Service();
const next = new Service();
let workspace: Workspace;

beforeAll(async () => {
  await Promise.all([old.start(), next.start()]);
});
afterAll(async () => {
  await Promise.all([old.end(), next.end()]);
});
beforeEach(async () => {
  for (const service of [old, next]) await empty(service);
  workspace = new Workspace(old.key, {
    'http://127.0.0.1:8788': old.base,
    'http://127.0.0.1:8787': next.base,
  });
  return () => workspace.end();
});

/** Deletes what an earlier test has left, so that each begins as the reader does. */
async function empty(service: Service): Promise<void> {
  for (const { id } of await service.call<{ id: string }[]>('GET', '/api/v1/pipelines')) {
    await service.call('POST', `/api/v1/pipelines/${id}/force-delete`);
  }
  const { items } = await service.call<{ items: { id: string }[] }>('GET', '/api/v1/beta/files');
  for (const { id } of items) await service.call('DELETE', `/api/v1/beta/files/${id}`);
}

it.each(LANGUAGES)('runs the program in %s against the copy without changes', async (language) => {
  const program = tutorial.program(language);
  await workspace.terminal(setAddresses!);
  await workspace.terminal(useOldService!);
  const before = await workspace.run(language, program);
  expect(findMissingLine(firstRun!, before.stdout), before.stdout).toBeUndefined();

  const plan = await workspace.terminal(dryRun!);
  expect(findMissingLine(listed!, plan.stdout), plan.stdout).toBeUndefined();
  expect(await next.call('GET', '/api/v1/pipelines')).toEqual([]);

  const summary = await workspace.terminal(copy!);
  expect(findMissingLine(copied!, summary.stdout), summary.stdout).toBeUndefined();
  expect(summary.stdout).not.toContain('Not copied');

  await workspace.terminal(useNewService!);
  const after = await workspace.run(language, program);
  expect(findMissingLine(secondRun!, after.stdout), after.stdout).toBeUndefined();
  expect(after.stdout).not.toContain('Created');
  expect(before.stderr + after.stderr).toBe('');
});
