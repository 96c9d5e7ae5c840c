import { expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, run } from '#test/support/jobs.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

interface Description {
  paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }>;
}

async function findPathsWithExpand(): Promise<string[]> {
  const { body } = await call<Description>('GET', '/openapi.json');
  const takesExpand = (path: string) =>
    body.paths[path]!.get?.parameters?.some(({ name }) => name === 'expand');
  return Object.keys(body.paths).filter(takesExpand);
}

it('ignores unknown names in `expand` with a warning, in every operation', async () => {
  const pipeline = await createPipeline();
  const [file] = await addFiles(pipeline, { 'invoice.md': INVOICE });
  await sync(pipeline);
  const file_id = await upload('invoice.md', INVOICE);
  const parse = await run('parse', { file_id });
  const directories = '/api/v1/beta/directories';
  const { body: created } = await call<{ id: string }>('POST', directories, { body: { name: 'Invoices' } });
  const directory = `${directories}/${created.id}`;
  await call('POST', `${directory}/files`, { body: { file_id } });
  const configuration = { data_schema: INVOICE_SCHEMA };
  const { id: batch } = (
    await call<{ id: string }>('POST', '/api/v2/batches', {
      body: { job_type: 'extract', file_ids: [file_id], configuration },
    })
  ).body;
  const extract = await run('extract', { file_input: file_id, configuration });
  /** Maps each path in the API description to the path to call and a name that `expand` accepts there. */
  const calls: Record<string, readonly [path: string, known: string]> = {
    '/api/v1/beta/directories/{directory_id}/files': [`${directory}/files`, 'download_url'],
    '/api/v1/beta/directories/{directory_id}/files/{directory_file_id}': [
      `${directory}/files/${file_id}`,
      'download_url',
    ],
    '/api/v1/beta/files': ['/api/v1/beta/files', 'download_url'],
    '/api/v1/beta/files/{id}': [`/api/v1/beta/files/${file_id}`, 'download_url'],
    '/api/v1/files/{id}/pages/{page_index}': [`/api/v1/files/${file_id}/pages/0`, 'text'],
    '/api/v1/pipelines': ['/api/v1/pipelines', 'counts'],
    '/api/v1/pipelines/{pipeline_id}': [`/api/v1/pipelines/${pipeline}`, 'counts'],
    '/api/v1/pipelines/{pipeline_id}/documents/{document_id}/chunks': [
      `/api/v1/pipelines/${pipeline}/documents/${file}/chunks`,
      'citations',
    ],
    '/api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks': [
      `/api/v1/pipelines/${pipeline}/files/${file}/chunks`,
      'citations',
    ],
    '/api/v2/batches/{batch_id}/items': [`/api/v2/batches/${batch}/items`, 'result'],
    '/api/v2/extract': ['/api/v2/extract', 'usage'],
    '/api/v2/extract/{job_id}': [`/api/v2/extract/${extract.id}`, 'usage'],
    '/api/v2/parse/{job_id}/pages/{page_number}': [`/api/v2/parse/${parse.id}/pages/1`, 'text'],
    '/api/v2/parse/{job_id}': [`/api/v2/parse/${parse.id}`, 'text'],
  };
  expect((await findPathsWithExpand()).toSorted()).toEqual(Object.keys(calls).toSorted());
  for (const [path, known] of Object.values(calls)) {
    const plain = await call('GET', `${path}?expand=${known}`);
    const answer = await call('GET', `${path}?expand=hologram&expand=${known}`);
    expect([path, answer.status]).toEqual([path, 200]);
    const { warnings, ...body } = answer.body as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(Object.keys(plain.body as object));
    expect(answer.headers.get('x-warnings')).toMatch(
      /^expand: Unknown names are ignored: "hologram"\. Known names are: /,
    );
    expect(plain.headers.get('x-warnings')).toBeNull();
  }
});
