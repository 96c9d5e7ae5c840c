import { expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

interface Citation {
  citation: number;
  sourceId: string;
  start_page_index: number | null;
  end_page_index: number | null;
  bounding_boxes: Box[];
  sentence_bounding_boxes?: Box[];
  sentence_ranges?: { start: number; end: number }[];
}

interface Box {
  page_index: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

async function chat(pipeline: string, content: string) {
  const body = { messages: [{ role: 'user', content }] };
  const answer = await call<string>('POST', `/api/v1/pipelines/${pipeline}/chat`, { body });
  const events = answer.body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
  const told = events.find(({ type }) => type === 'data-citations') as { data: { citations: Citation[] } };
  return {
    text: events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
    notes: events[0].messageMetadata.retrieval as Record<string, string>,
    citations: told.data.citations,
    sources: events.filter(({ type }) => type === 'source-document'),
  };
}

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'The Corran lighthouse was built by Matilda Oyelaran.') },
    { content: text(72, 650, 'The Ardgour quay is nine metres long.') },
  ],
});

it('a citation has the page and the bounding box of the passage', async () => {
  const id = await createPipeline({
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
    },
  });
  const [file] = await addFiles(id, { 'manual.pdf': MANUAL });
  await sync(id);
  const { text: said, citations } = await chat(id, 'How long is the Ardgour quay?');
  expect(said).toMatch(/^The Ardgour quay is nine metres long\. \[1\]/);
  const [cited] = citations;
  expect(cited).toMatchObject({ citation: 1, start_page_index: 1, end_page_index: 1 });
  expect(cited!.bounding_boxes).toHaveLength(1);
  const [box] = cited!.bounding_boxes;
  expect(box!.page_index).toBe(1);
  expect(box!.x).toBeCloseTo(72, 0);
  expect(box!.y).toBeLessThan(792 - 645);
  expect(box!.y + box!.h).toBeGreaterThan(792 - 655);
  const path = `/api/v1/pipelines/${id}/documents/${file}/chunks?around=${cited!.sourceId}&neighbours=0`;
  const chunk = await call<{ bounding_boxes: unknown[] }[]>('GET', `${path}&bounding_boxes=true`);
  expect(cited!.bounding_boxes).toEqual(chunk.body[0]!.bounding_boxes);
});

it('a citation frames the quoted sentence within its passage', async () => {
  const id = await createPipeline();
  const lines = [
    'Cats sleep for most of the day.',
    'The Ardgour quay is nine metres long.',
    'Bees like clover.',
  ];
  const content = lines.map((line, at) => text(72, 720 - 40 * at, line)).join('\n');
  await addFiles(id, { 'manual.pdf': buildPdf({ pages: [{ content }] }) });
  await sync(id);
  const { text: said, citations } = await chat(id, 'How long is the Ardgour quay?');
  expect(said).toBe('The Ardgour quay is nine metres long. [1]');
  const [{ bounding_boxes: passage, sentence_bounding_boxes: sentence } = { bounding_boxes: [] }] = citations;
  expect(passage).toHaveLength(3);
  expect(sentence).toEqual([passage[1]]);
});

it('a citation of a playground pipeline refers to the pipeline with the documents', async () => {
  const managed_pipeline_id = await createPipeline();
  await addFiles(managed_pipeline_id, { 'manual.pdf': MANUAL });
  await sync(managed_pipeline_id);
  const playground = await createPipeline({ pipeline_type: 'PLAYGROUND', managed_pipeline_id });
  const { citations, sources } = await chat(playground, 'How long is the Ardgour quay?');
  expect(sources[0]).toMatchObject({ providerMetadata: { sluice: { pipeline_id: managed_pipeline_id } } });
  expect(citations[0]!.bounding_boxes).not.toEqual([]);
});

it('a citation of a text file has boxes on its rendered page', async () => {
  const id = await createPipeline();
  await addFiles(id, { 'quay.txt': 'The Ardgour quay is nine metres long.' });
  await sync(id);
  const { citations } = await chat(id, 'How long is the Ardgour quay?');
  expect(citations).toMatchObject([{ citation: 1, bounding_boxes: [{ page_index: 0, page_height: 792 }] }]);
});

it('a text document has ranges but no boxes, and an unanswered question has no citations', async () => {
  const id = await createPipeline();
  const passage = 'Cats sleep for most of the day. The Ardgour quay is nine metres long. Bees like clover.';
  const body = [{ id: 'quay', text: passage, metadata: {} }];
  await call('POST', `/api/v1/pipelines/${id}/documents`, { body });
  await sync(id);
  const { citations, sources } = await chat(id, 'How long is the Ardgour quay?');
  expect(citations).toMatchObject([{ citation: 1, bounding_boxes: [] }]);
  const { text: found } = sources[0].providerMetadata.sluice;
  const quoted = citations[0]!.sentence_ranges!.map(({ start, end }) => found.slice(start, end));
  expect(quoted).toEqual(['The Ardgour quay is nine metres long']);
  const other = await chat(id, 'What is the boiling point of mercury?');
  expect(other.text).toBe('Nothing in the documents was found that answers this question.');
  expect(other.citations).toEqual([]);
});

it('each part of a question is searched and answered separately', async () => {
  const id = await createPipeline();
  await addFiles(id, {
    'quay.txt': 'The Ardgour quay is nine metres long.',
    'light.txt': 'The Corran lighthouse was built by Matilda Oyelaran.',
  });
  await sync(id);
  const { text: said, notes } = await chat(
    id,
    'How long is the Ardgour quay, and who built the Corran lighthouse?',
  );
  expect(said).toMatch(/nine metres long\. \[\d\].*Matilda Oyelaran\. \[\d\]/);
  expect(notes.splitter).toBe('builtin/question-parts-1');
  expect(JSON.parse(notes.searched_parts!)).toHaveLength(2);
});
