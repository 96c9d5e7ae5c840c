import { expect, it } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { type JobBody, run } from '#test/support/jobs.ts';

const TEXT = '# Harbour\n\nThe harbour opens at nine. Ελληνικά.\n';

const parsed = async (name: string, content: string | Uint8Array<ArrayBuffer>, configuration: object) =>
  run('parse', { file_id: await upload(name, content), configuration });

const download = (id: string, format = 'pdf') => fetchService('GET', `/api/v2/parse/${id}/result/${format}`);

const getExpanded = async (id: string, form = 'text_full') =>
  (await call<JobBody>('GET', `/api/v2/parse/${id}?expand=${form}`)).body[form];

it('returns a document as a PDF with the same content', async () => {
  const job = await parsed('harbour.md', TEXT, { output_pdf_of_document: true });
  const answer = await call('GET', `/api/v2/parse/${job.id}/result/pdf`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  expect(answer.headers.get('content-disposition')).toContain('.pdf');
  const bytes = new Uint8Array(await (await download(job.id)).arrayBuffer());
  const again = await parsed('again.pdf', bytes, {});
  expect(await getExpanded(again.id)).toContain('The harbour opens at nine. Ελληνικά.');
  expect(await getExpanded(again.id, 'markdown_full')).toContain('# Harbour');
});

it('links to the PDF without a key, and reports if there is none', async () => {
  const name = 'pdf_content_metadata';
  const asked = await parsed('harbour.md', TEXT, { output_pdf_of_document: true });
  const { size_bytes, exists, presigned_url } = (await getExpanded(asked.id, name)) as Record<string, string>;
  expect(exists).toBe(true);
  const { pathname, search } = new URL(presigned_url!);
  const bytes = await (await fetchService('GET', pathname + search, { key: null })).arrayBuffer();
  expect(bytes.byteLength).toBe(size_bytes);
  const other = await parsed('harbour.md', TEXT, {});
  expect(await getExpanded(other.id, name)).toEqual({ size_bytes: 0, exists: false, presigned_url: null });
  expect((await call('GET', `/api/v2/parse/${other.id}/result/pdf`)).status).toBe(404);
});

it('returns a PDF unchanged, or only its selected pages', async () => {
  const whole = await parsed('report.pdf', harbourReport(), { output_pdf_of_document: true });
  expect(new Uint8Array(await (await download(whole.id)).arrayBuffer())).toEqual(harbourReport());
  const some = await parsed('report.pdf', harbourReport(), {
    output_pdf_of_document: true,
    target_pages: '2-3',
  });
  const bytes = new Uint8Array(await (await download(some.id)).arrayBuffer());
  const again = await parsed('some.pdf', bytes, {});
  expect(again.page_count).toBe(2);
  expect(await getExpanded(again.id)).toContain('Berths of the harbour.');
  expect(await getExpanded(again.id)).not.toContain('opens at nine');
  const inOrder = String(await getExpanded(some.id));
  expect(String(await getExpanded(again.id)).slice(0, 15)).toBe(inOrder.slice(0, 15));
});

it('serves the PDF to existing clients under the names they know', async () => {
  const job = await parsed('harbour.md', TEXT, { output_pdf_of_document: true });
  const legacy = `/compat/api/v1/parsing/job/${job.id.replace('pjb-', '')}/result`;
  for (const path of [`${legacy}/raw/pdf`, `${legacy}/pdf`]) {
    const answer = await call('GET', path);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
  }
  const { body } = await call<JobBody>(
    'GET',
    `/compat/api/v2/parse/${job.id}?expand=output_pdf_content_metadata`,
  );
  expect(body.result_content_metadata).toMatchObject({ output_pdf: { exists: true } });
});

it('a pipeline warns that it produces no PDF', async () => {
  const body = {
    name: `pdf ${crypto.randomUUID()}`,
    parse_parameters: { output_pdf_of_document: true, output_bucket_path_prefix: 'papers/out' },
  };
  const { body: made } = await call<{ warnings: { field: string }[] }>('POST', '/api/v1/pipelines', { body });
  expect(made.warnings.map(({ field }) => field)).toEqual([
    'parse_parameters.output_pdf_of_document',
    'parse_parameters.output_bucket_path_prefix',
  ]);
});
