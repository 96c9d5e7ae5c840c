import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const quays = [
  'Harbour of Corran',
  'The harbour has two quays for ferries and fishing boats.',
  'The north quay is nine metres deep and the south quay is four metres deep.',
  'Ships above a hundred tonnes must call the pilot on channel twelve before they enter.',
].join('\n\n');

interface Asked {
  text: string;
  sources: { document_id: string; text: string }[];
  citations: object[];
}

async function ask(
  id: string,
  content: string,
  data: object = {},
  before: object[] = [],
  kind = 'pipelines',
): Promise<Asked> {
  const body = { messages: [...before, { role: 'user', content }], data };
  const answer = await call<string>('POST', `/api/v1/${kind}/${id}/chat`, { body });
  expect(answer.status).toBe(200);
  const events = answer.body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
  return {
    text: events.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
    sources: events
      .filter(({ type }) => type === 'source-document')
      .map(({ providerMetadata }) => providerMetadata.sluice),
    citations: events.find(({ type }) => type === 'data-citations').data.citations,
  };
}

describe('a question about a whole document, without a language model', () => {
  it('is answered with the beginning of the document, although the search finds none of its words', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'corran.txt': quays });
    await sync(id);
    for (const question of [
      'What is this document about?',
      'Summarize this',
      'Worum geht es in diesem Dokument?',
      'Fasse das zusammen',
      'De quoi parle ce document ?',
      '这份文件的主要内容是什么？',
    ]) {
      const { text, citations } = await ask(id, question);
      expect(text, question).toContain('The harbour has two quays for ferries and fishing boats. [1]');
      expect(citations, question).toHaveLength(1);
    }
  });

  const boats = 'The boats\n\nEach boat of the island carries a number that the harbour office assigns.';
  const nets = 'The nets\n\nThe nets of the fishing fleet are mended in the long shed behind the quay.';

  it('is answered with one sentence of each document if there are several', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'boats.txt': boats, 'nets.txt': nets });
    await sync(id);
    const { text, sources } = await ask(id, 'What are these documents about?');
    expect(text).toContain('Each boat of the island carries a number that the harbour office assigns.');
    expect(text).toContain('The nets of the fishing fleet are mended in the long shed behind the quay.');
    expect(sources).toHaveLength(2);
    const limited = await ask(id, 'What are these documents about?', {
      retrieval_parameters: { rerank_top_n: 1 },
    });
    expect(limited.sources).toHaveLength(1);
  });

  it('is answered only from documents and pages that match the filters', async () => {
    const id = await createPipeline();
    const [first, second] = await addFiles(id, { 'boats.txt': boats, 'nets.txt': nets });
    await sync(id);
    const askFor = (key: string, value: string | number) =>
      ask(id, 'Summarize this', {
        retrieval_parameters: { search_filters: { filters: [{ key, operator: '==', value }] } },
      });
    expect((await askFor('file_id', first!)).text).toMatch(/^Each boat .*assigns\. \[1\]$/);
    expect((await askFor('file_id', second!)).text).toMatch(/^The nets .*quay\. \[1\]$/);
    const none = await askFor('file_id', 'nothing');
    expect(none).toMatchObject({ sources: [], citations: [] });
    expect(none.text).toContain('Nothing in the documents was found');
    expect((await askFor('page_label', 7)).sources).toEqual([]);
  });

  it('is not mixed with the words of an earlier question', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'nets.txt': nets });
    await sync(id);
    const messages = [
      { role: 'user', content: 'Where are the nets mended?' },
      { role: 'assistant', content: 'In the long shed.' },
    ];
    const { text } = await ask(id, 'Summarize this document', {}, messages);
    expect(text).toContain('The nets of the fishing fleet are mended in the long shed behind the quay. [1]');
  });

  it('is answered from all pipelines of a retriever', async () => {
    const pipelines: object[] = [];
    for (const [name, text] of [
      ['boats.txt', boats],
      ['nets.txt', nets],
    ] as const) {
      const pipeline_id = await createPipeline();
      await addFiles(pipeline_id, { [name]: text });
      await sync(pipeline_id);
      pipelines.push({ pipeline_id, name });
    }
    const body = { name: `retriever ${crypto.randomUUID()}`, pipelines };
    const retriever = (await call<{ id: string }>('POST', '/api/v1/retrievers', { body })).body.id;
    const { text, sources } = await ask(retriever, 'What is this about?', {}, [], 'retrievers');
    expect(sources).toHaveLength(2);
    expect(text).toContain('Each boat of the island');
    expect(text).toContain('The nets of the fishing fleet');
  });
});
