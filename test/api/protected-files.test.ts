import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildPdf, image, solidImage, text } from '#test/fixtures/pdf.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { dumpEverything } from '#test/support/dump.ts';
import { type JobBody, run } from '#test/support/jobs.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const PASSWORD = `0pens${crypto.randomUUID().slice(0, 8)}`;
const WRONG = `guess${crypto.randomUUID().slice(0, 8)}`;

const lockedPdf = (words: string) =>
  buildPdf({
    pages: [
      {
        content: text(72, 700, words) + image(0, 100, 300, 400, 300),
        images: [solidImage(90, 60, [10, 140, 220])],
      },
    ],
    password: PASSWORD,
  });

const output: unknown[][] = [];
beforeAll(() => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void output.push(args));
  }
});
afterAll(() => vi.restoreAllMocks());

it('opens a protected file with the password of a job, and never reveals or stores the password in plain text', async () => {
  const id = await upload('locked.pdf', lockedPdf('Only for the harbour master'));
  const parse = (configuration: object) => run('parse', { file_id: id, configuration });

  const without = await parse({});
  expect(without).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringMatching(/PDF_IS_PROTECTED.*`password`/),
  });
  const wrong = await parse({ password: WRONG });
  expect(wrong).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringMatching(/PDF_IS_PROTECTED.*password does not open/),
  });
  expect((await call('GET', `/api/v1/files/${id}/page_screenshots`)).status).toBe(422);

  const job = await parse({ password: PASSWORD });
  expect(job.status).toBe('COMPLETED');
  const { body } = await call<JobBody>('GET', `/api/v2/parse/${job.id}?expand=text`);
  expect(JSON.stringify(body)).toContain('harbour master');
  const told = JSON.stringify([without, wrong, job, body, output]);
  const stored = await dumpEverything();
  for (const secret of [PASSWORD, WRONG]) {
    expect(told).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }

  // A cached parse does not open the file without the password.
  expect((await parse({ disable_ocr: true })).status).toBe('FAILED');

  const shots = await call<unknown[]>('GET', `/api/v1/files/${id}/page_screenshots`);
  expect(shots).toMatchObject({ status: 200, body: [{ page_index: 0 }] });
  const shot = await fetchService('GET', `/api/v1/files/${id}/page_screenshots/0`);
  expect(shot.status).toBe(200);
  expect((await shot.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  const figures = await call<{ figure_name: string }[]>('GET', `/api/v1/files/${id}/page-figures`);
  expect(figures.body).toHaveLength(1);
  const path = `/api/v1/files/${id}/page-figures/0/${figures.body[0]!.figure_name}`;
  expect((await fetchService('GET', path)).status).toBe(200);
});

it('opens protected files of a pipeline with the password in its parse parameters', async () => {
  const id = await createPipeline({ parse_parameters: { password: PASSWORD } });
  await addFiles(id, { 'locked.pdf': lockedPdf('The lighthouse keeps its own log') });
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 1 } });
  expect((await retrieve(id, 'lighthouse log'))[0]?.node.text).toContain('lighthouse');
  const { body } = await call('GET', `/api/v1/pipelines/${id}`);
  expect(JSON.stringify(body)).not.toContain(PASSWORD);
});
