import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedService } from '../shared-client.ts';
import { findMissingLine, LANGUAGES, Tutorial } from './tutorial.ts';
import { Workspace } from './workspace.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const tutorial = new Tutorial('first-answers');
const service = new SharedService();
let workspace: Workspace;

beforeAll(async () => {
  await service.start();
  workspace = new Workspace(service.key, service.base);
  for (const commands of tutorial.labelled('Terminal')) await workspace.terminal(commands);
});
afterAll(() => workspace?.end());

// The same project for all of them: a reader who repeats the tutorial gets the same answer.
it.each(LANGUAGES)('prints in %s the output on the page and saves the cited page', async (language) => {
  workspace.remove('page.png');
  const { stdout, stderr } = await workspace.run(language, tutorial.program(language));
  expect(findMissingLine(tutorial.output(), stdout), `${stdout}\n${stderr}`).toBeUndefined();
  expect(stderr).toBe('');
  const picture = workspace.read('page.png');
  expect(picture.subarray(0, PNG.length)).toEqual(PNG);
  const { id } = (await service.call<{ items: { id: string }[] }>('GET', '/api/v1/beta/files')).items[0]!;
  expect(picture).toEqual(Buffer.from(await service.bytes(`/api/v1/files/${id}/page_screenshots/1`)));
});
