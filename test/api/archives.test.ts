import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { call, fetchService, upload } from '#test/support/client.ts';
import { run } from '#test/support/jobs.ts';
import { addFiles, createPipeline, type RetrievedNode, retrieve, sync } from '#test/support/pipelines.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

const papers = () =>
  zipSync({
    'harbour/quay.txt': utf8('The quay zqquayzq is long and deep.'),
    'harbour/light.md': utf8('# Light\n\nThe lighthouse zqlightzq is kept by Ada.'),
    'tool.exe': Uint8Array.from({ length: 600 }, (_, at) => (at * 37) & 255),
  });

it('chunks of an archive have the path of their file, by which they can be found', async () => {
  const id = await createPipeline();
  await addFiles(id, { 'papers.zip': papers() });
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS' });
  const [best] = await retrieve(id, 'zqlightzq', { alpha: 0, enable_reranking: false });
  expect(best?.node.extra_info).toMatchObject({
    file_name: 'papers.zip',
    member_path: 'harbour/light.md',
    page_label: 2,
  });
  const [named] = await retrieve(id, 'quay.txt', { alpha: 0, enable_reranking: false });
  expect(named?.node.extra_info.member_path).toBe('harbour/quay.txt');
  const filtered = await call<{ retrieval_nodes: RetrievedNode[] }>(
    'POST',
    `/api/v1/pipelines/${id}/retrieve`,
    {
      body: {
        query: 'harbour',
        search_filters: { filters: [{ key: 'member_path', value: 'harbour/quay.txt' }] },
      },
    },
  );
  expect(filtered.body.retrieval_nodes.map(({ node }) => node.extra_info.member_path)).toEqual([
    'harbour/quay.txt',
  ]);
});

it('a parse of an archive has the pages of its files, each under its path', async () => {
  const file_id = await upload('papers.zip', papers());
  const { id } = await run('parse', { file_id });
  const { body } = await call<{ markdown: { pages: { markdown: string; success: boolean }[] } }>(
    'GET',
    `/api/v2/parse/${id}?expand=markdown`,
  );
  expect(body.markdown.pages.map(({ markdown, success }) => [success, markdown])).toEqual([
    [true, '# harbour/quay.txt\n\nThe quay zqquayzq is long and deep.'],
    [true, '# harbour/light.md\n\n# Light\n\nThe lighthouse zqlightzq is kept by Ada.'],
    [false, '# tool.exe\n\n(not read: UNSUPPORTED_FILE_TYPE: Sluice does not read this file (.exe).)'],
  ]);
});

it('a page of an archive is rendered with the path of its file', async () => {
  const markdown = '# harbour/quay.txt\n\nThe quay zqquayzq is long and deep.';
  const ids = [await upload('papers.zip', papers()), await upload('quay.md', markdown)];
  const pictures: Uint8Array[] = [];
  for (const id of ids) {
    const response = await fetchService('GET', `/api/v1/files/${id}/page_screenshots/0`);
    expect(response.status).toBe(200);
    pictures.push(new Uint8Array(await response.arrayBuffer()));
  }
  expect(pictures[0]).toEqual(pictures[1]);
});
