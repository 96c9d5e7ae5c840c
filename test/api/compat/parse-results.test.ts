import { expect, it } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { call, upload } from '#test/support/client.ts';
import { run } from '#test/support/jobs.ts';

interface Image {
  category: string;
  bbox: { x: number; y: number; w: number; h: number } | null;
}

const EVERYTHING = [
  'markdown',
  'text',
  'items',
  'metadata',
  'markdown_full',
  'text_full',
  'job_metadata',
  'images_content_metadata',
  'markdown_content_metadata',
  'xlsx_content_metadata',
];

// The test client checks every answer under /compat against the Python client's schemas.
it('returns everything that clients can expand in a parse', async () => {
  const { id } = await run('parse', { file_id: await upload('harbour.pdf', harbourReport()) });
  const query = EVERYTHING.map((name) => `expand=${name}`).join('&');
  const { status, body } = await call<Record<string, unknown>>('GET', `/compat/api/v2/parse/${id}?${query}`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining(['job', 'markdown', 'text', 'items', 'markdown_full', 'result_content_metadata']),
  );
  const { images } = body.images_content_metadata as { images: Image[] };
  const boxes = images.flatMap(({ bbox }) => (bbox ? Object.values(bbox) : []));
  expect(boxes.length).toBeGreaterThan(0);
  expect(boxes.filter((side) => !Number.isInteger(side))).toEqual([]);
});
