import { ConflictError, NotFoundError, UnprocessableEntityError } from '@llamaindex/llama-cloud';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { indexFiles } from './index-files.ts';

const MANUAL = `# Harbour manual

The night berth costs 40 euros. Ring the bell at nine.

## Tides

High tide is at noon. The ferry leaves two hours before high tide, from berth 7.
`;
const LETTER = 'Dear Ada, the ferry to the island was late again. Berth 9 is closed. 🚢 Berth 12 is open.\n';

type Clients = ReturnType<typeof createNpmClients>;
let { client } = {} as Clients;
let stranger: Clients['client'];
let index_id: string;
let files: Record<'manual' | 'letter', string>;

beforeAll(async () => {
  const { key } = await createTenant();
  ({ client } = createNpmClients(key));
  stranger = createNpmClients((await createTenant()).key).client;
  const indexed = await indexFiles(key, {
    'harbour-manual.md': [MANUAL, { year: 2025, draft: false }],
    'letter.md': [LETTER, { year: 2026, draft: true }],
  });
  index_id = indexed.pipelineId;
  const [manual, letter] = indexed.fileIds as [string, string];
  files = { manual, letter };
});

describe('retrieve', () => {
  it('returns passages with scores, places and metadata', async () => {
    const { results } = await client.beta.retrieval.retrieve({
      index_id,
      query: 'night berth price',
      top_k: 1,
    });
    expect(results).toHaveLength(1);
    const [first] = results;
    expect(first!.content).toContain('40 euros');
    expect(first!.metadata).toMatchObject({ file_name: 'harbour-manual.md', year: 2025 });
    expect(first!.score).toBeGreaterThan(0);
    expect(first!.rerank_score).toBeGreaterThan(0);
    const place = first!.static_fields!;
    expect(place).toMatchObject({
      parsed_directory_file_id: files.manual,
      chunk_index: 0,
      page_range_start: 1,
      page_range_end: 1,
      attachments: [],
    });
    // Positions of a chunk count the characters of the text that `read` returns.
    const { content } = await client.beta.retrieval.read({
      index_id,
      file_id: place.parsed_directory_file_id!,
      offset: place.chunk_start_char!,
      max_length: place.chunk_end_char! - place.chunk_start_char!,
    });
    expect(content).toBe(first!.content);
  });

  it.each([
    [{ custom_filters: { year: { operator: 'eq', value: 2026 } } }, ['letter']],
    [{ custom_filters: { draft: { operator: 'eq', value: false } } }, ['manual']],
    [{ custom_filters: { draft: { operator: 'in', value: [true, false] } } }, ['letter', 'manual']],
    [
      {
        custom_filters: {
          year: [
            { operator: 'gte', value: 2025 },
            { operator: 'lt', value: 2026 },
          ],
        },
      },
      ['manual'],
    ],
    [{ custom_filters: { year: null } }, ['letter', 'manual']],
    [{ score_threshold: 1_000_000 }, []],
    [
      { rerank: { enabled: false }, vector_pipeline_weight: 0.3, full_text_pipeline_weight: 0.1 },
      ['letter', 'manual'],
    ],
  ] as const)('applies %j', async (parameters, expected) => {
    const asked = { index_id, query: 'Which berth does the ferry use?', top_k: 50, ...parameters };
    const { results } = await client.beta.retrieval.retrieve(asked as never);
    const found = new Set(
      results.map(({ metadata }) => String(metadata?.file_name).replace(/harbour-|\.md/g, '')),
    );
    expect([...found].sort()).toEqual(expected);
    const isReranked = results.some(({ rerank_score }) => rerank_score != null);
    expect(isReranked).toBe(results.length > 0 && !('rerank' in parameters));
  });

  it('finds only chunks of the named file', async () => {
    const filter = { operator: 'in' as const, value: [`dfl-${files.letter}`] };
    const { results } = await client.beta.retrieval.retrieve({
      index_id: `idx-${index_id}`,
      query: 'ferry',
      static_filters: { parsed_directory_file_id: filter },
    });
    expect(results.length).toBeGreaterThan(0);
    for (const { static_fields } of results) {
      expect(static_fields?.parsed_directory_file_id).toBe(files.letter);
    }
  });

  it('refuses weights of zero, mixed lists and unknown operators', async () => {
    for (const wrong of [
      { vector_pipeline_weight: 0, full_text_pipeline_weight: 0 },
      { custom_filters: { year: { operator: 'in', value: [1, 'a'] } } },
      { custom_filters: { year: { operator: 'like', value: 'a' } } },
    ]) {
      const asked = { index_id, query: 'ferry', ...wrong };
      await expect(client.beta.retrieval.retrieve(asked as never)).rejects.toThrow(UnprocessableEntityError);
    }
  });
});

describe('files of an index', () => {
  it('are found by name, in pages', async () => {
    const find = async (query: object) => {
      const names: string[] = [];
      for await (const { file_name } of client.beta.retrieval.find({ index_id, page_size: 1, ...query })) {
        names.push(file_name);
      }
      return names.sort();
    };
    expect(await find({})).toEqual(['harbour-manual.md', 'letter.md']);
    expect(await find({ file_name_contains: 'HARBOUR' })).toEqual(['harbour-manual.md']);
    expect(await find({ file_name: 'letter.md' })).toEqual(['letter.md']);
    expect(await find({ file_name: 'letter' })).toEqual([]);
  });

  it('are searched with patterns, in pages, with the characters around', async () => {
    const found: object[] = [];
    const asked = {
      index_id,
      file_id: files.letter,
      pattern: '(?i)berth \\d+',
      page_size: 1,
      context_chars: 3,
    };
    for await (const match of client.beta.retrieval.grep(asked)) found.push(match);
    const at = (text: string) => ({
      start_char: LETTER.indexOf(text),
      end_char: LETTER.indexOf(text) + text.length,
    });
    expect(found).toEqual([
      { content: 'n. Berth 9 is', ...at('Berth 9') },
      { content: '🚢 Berth 12 is', ...at('Berth 12') },
    ]);
    const none = await client.beta.retrieval.grep({ index_id, file_id: files.letter, pattern: 'quay|x*' });
    expect(none.items).toEqual([]);
  });

  it('are read in parts', async () => {
    const read = async (part: object) =>
      (await client.beta.retrieval.read({ index_id, file_id: files.letter, ...part })).content;
    expect(await read({})).toContain('Berth 12 is open.');
    expect(await read({ offset: 5, max_length: 3 })).toBe('Ada');
    expect(await read({ offset: 100_000 })).toBe('');
  });

  it('that have no text yet are refused with a reason', async () => {
    const { key } = await createTenant();
    const own = createNpmClients(key).client;
    const { pipelineId, fileIds } = await indexFiles(key, { 'broken.pdf': ['%PDF-1.4 broken', {}] });
    const reading = own.beta.retrieval.read({ index_id: pipelineId, file_id: fileIds[0]! });
    await expect(reading).rejects.toThrow(ConflictError);
    await expect(reading).rejects.toThrow('has no text yet');
  });

  it.each(['(?=a)b', '(a', 'a{1000}{1000}'])('refuse the pattern %j', async (pattern) => {
    const searching = client.beta.retrieval.grep({ index_id, file_id: files.letter, pattern });
    await expect(searching).rejects.toThrow(UnprocessableEntityError);
  });

  describe('that are long', () => {
    const WORDS = 8_000;
    let file_id: string;
    let own: Clients['client'];
    let longIndex: string;

    beforeAll(async () => {
      const { key } = await createTenant();
      own = createNpmClients(key).client;
      const indexed = await indexFiles(key, { 'long.txt': ['anna '.repeat(WORDS), {}] });
      longIndex = indexed.pipelineId;
      file_id = indexed.fileIds[0]!;
    });

    it('give all matches, in pages that may be shorter than asked', async () => {
      const asked = { index_id: longIndex, file_id, pattern: '\\banna\\b', page_size: 1_000 };
      const starts: number[] = [];
      for await (const { start_char } of own.beta.retrieval.grep(asked)) starts.push(start_char);
      expect(starts).toEqual(Array.from({ length: WORDS }, (_, index) => index * 'anna '.length));
    });

    it('refuse patterns that read the rest of the text for each match', async () => {
      const searching = own.beta.retrieval.grep({ index_id: longIndex, file_id, pattern: '(?:a[^z]*z)?' });
      await expect(searching).rejects.toThrow(UnprocessableEntityError);
      await expect(searching).rejects.toThrow('too complex');
    });
  });

  it('take patterns that make other engines backtrack for ever', async () => {
    const page = await client.beta.retrieval.grep({
      index_id,
      file_id: files.letter,
      pattern: '(\\w+\\s*)+$x',
    });
    expect(page.items).toEqual([]);
  });
});

it('an index of others and an unknown one do not exist', async () => {
  const file_id = files.letter;
  for (const [own, id] of [
    [stranger, index_id],
    [client, crypto.randomUUID()],
    [client, 'none'],
  ] as const) {
    const { retrieval } = own.beta;
    const all = [
      () => retrieval.retrieve({ index_id: id, query: 'ferry' }),
      () => retrieval.find({ index_id: id }),
      () => retrieval.grep({ index_id: id, file_id, pattern: 'a' }),
      () => retrieval.read({ index_id: id, file_id }),
    ];
    for (const call of all) {
      await expect(call()).rejects.toThrow(NotFoundError);
      await expect(call()).rejects.toThrow(`Index ${id} not found`);
    }
  }
  const other = client.beta.retrieval.read({ index_id, file_id: crypto.randomUUID() });
  await expect(other).rejects.toThrow(NotFoundError);
});
