import { expect, it } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { call, upload } from '#test/support/client.ts';
import { run } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

interface ParsedPage {
  page_number: number;
  markdown?: string;
  items?: { type: string; box?: { x: number } }[];
  words?: { text: string; x: number }[];
}

const parse = async (
  configuration: object,
  name = 'harbour.pdf',
  bytes: Uint8Array | string = harbourReport(),
) => (await run('parse', { file_id: await upload(name, bytes), configuration })).id;
const page = (job: string, rest: string) => call<ParsedPage>('GET', `/api/v2/parse/${job}/pages${rest}`);

it('lists the pages that the parameters select, and reads one at a time', async () => {
  const job = await parse({ target_pages: '1,3' });
  expect((await page(job, '')).body).toEqual({
    job_id: job,
    content_hash: expect.stringMatching(/^\w{64}$/),
    page_count: 3,
    ranges: [
      { first: 1, last: 1 },
      { first: 3, last: 3 },
    ],
  });
  const bare = await page(job, '/3');
  expect(bare.body).toEqual({ page_number: 3, success: true, error: null, width: 612, height: 792 });
  const { body } = await page(job, '/1?expand=markdown&expand=items&expand=words');
  expect(body.markdown).toContain('# Harbour report');
  expect(body.items?.[0]).toMatchObject({ type: 'heading', box: { x: expect.any(Number) } });
  expect(body.words?.map(({ text }) => text)).toContain('Harbour');
  expect(body).not.toHaveProperty('text');
  expect((await page(job, '/2')).status).toBe(404);
  expect((await page(job, '/4')).status).toBe(404);
  expect((await page(job, '/0')).status).toBe(422);
});

it('gives positions of drawn formats only if the picture has the same parameters', async () => {
  const text = '# Tides\n\n| day | height |\n|---|---|\n| Monday | 3.1 |\n';
  const [usual, other] = [await parse({}, 'tides.md', text), await parse({ max_pages: 5 }, 'tides.md', text)];
  const forms = '/1?expand=items&expand=words';
  const [drawn, undrawn] = [(await page(usual, forms)).body, (await page(other, forms)).body];
  expect(drawn.items?.every(({ box }) => box !== undefined)).toBe(true);
  expect(drawn.words?.length).toBeGreaterThan(0);
  expect(undrawn.items?.length).toBe(drawn.items?.length);
  expect(undrawn.items?.some(({ box }) => box !== undefined)).toBe(false);
  expect(undrawn.words).toEqual([]);
});

it('answers 409 without a result and 404 to other tenants', async () => {
  const failed = await parse({}, 'broken.pdf', '%PDF-1.7 broken');
  expect((await page(failed, '')).status).toBe(409);
  expect((await page(failed, '/1')).status).toBe(409);
  const job = await parse({});
  const { key } = await createTenant();
  for (const rest of ['', '/1']) {
    expect((await call('GET', `/api/v2/parse/${job}/pages${rest}`, { key })).status).toBe(404);
  }
});
