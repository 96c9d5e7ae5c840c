import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { called, callTool, refused } from './agent.ts';
import { type Harbour, HOSTILE, makeHarbour } from './harbour.ts';

let harbour: Harbour;
beforeAll(async () => {
  harbour = await makeHarbour();
});

interface Passage {
  node_id: string;
  file_id: string | null;
  file_name: string;
  page: number;
  link: string | null;
  score: number;
  text: string;
}

describe('list_pipelines', () => {
  interface Listed {
    items: { id: string; ingestion: { status: string }; counts: { files: Record<string, number> } }[];
    retrievers: { id: string; pipelines: object[] }[];
    next_page_token: string | null;
  }

  it('lists pipelines with their counts, and retrievers', async () => {
    const { items, retrievers } = await called<Listed>('list_pipelines', {});
    expect(items).toContainEqual(
      expect.objectContaining({
        id: harbour.pipeline,
        ingestion: expect.objectContaining({ status: 'SUCCESS' }),
        counts: expect.objectContaining({ files: expect.objectContaining({ SUCCESS: 2, ERROR: 0 }) }),
      }),
    );
    expect(retrievers.find(({ id }) => id === harbour.retriever)!.pipelines).toEqual([
      { pipeline_id: harbour.pipeline, name: 'harbour', description: 'What the harbour knows' },
    ]);
    const { content } = await callTool('list_pipelines', {});
    expect(content[0]!.text).toContain(`${harbour.pipeline} "pipeline `);
    expect(content[0]!.text).toContain('2 SUCCESS files, 0 documents; newest sync: SUCCESS');
  });

  it('returns pages in which each pipeline appears once', async () => {
    await createPipeline();
    await createPipeline();
    const seen: string[] = [];
    let token: string | null = null;
    do {
      const page: Listed = await called<Listed>('list_pipelines', { page_size: 1, page_token: token });
      expect(page.retrievers.length > 0).toBe(token === null);
      seen.push(...page.items.map(({ id }) => id));
      token = page.next_page_token;
    } while (token);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(3);
    expect(await refused('list_pipelines', { page_size: 0 })).toMatch(/^invalid: page_size: /);
    expect(await refused('list_pipelines', { page_token: 'x' })).toMatch(/page_token must be/);
  });

  it('shows another tenant only their own pipelines', async () => {
    expect(await called('list_pipelines', {}, { key: harbour.stranger.key })).toMatchObject({
      items: [],
      retrievers: [],
    });
  });
});

describe('search', () => {
  it('returns the passage with file, page, link, score and node', async () => {
    const asked = { query: 'Who keeps the lighthouse?', top_k: 3 };
    for (const where of [{ pipeline_id: harbour.pipeline }, { retriever_id: harbour.retriever }]) {
      const { results } = await called<{ results: Passage[] }>('search', { ...where, ...asked });
      expect(results.length).toBeLessThanOrEqual(3);
      expect(results[0]).toMatchObject({
        pipeline_id: harbour.pipeline,
        file_id: harbour.files['manual.pdf'],
        file_name: 'manual.pdf',
        page: 7,
        last_page: 7,
        link: 'https://wiki.example/manual',
        text: 'The lighthouse is kept by Ada Strand.',
        text_cut: false,
      });
      expect(results[0]!.score).toBeGreaterThan(0);
      expect(results[0]!.node_id).toBeTruthy();
    }
  });

  it('applies filters and top_k', async () => {
    const filters = { filters: [{ key: 'shelf', value: 'c' }] };
    const found = (more: object) =>
      called<{ results: Passage[] }>('search', {
        pipeline_id: harbour.pipeline,
        query: 'berth crane',
        ...more,
      });
    const filtered = await found({ filters });
    expect(new Set(filtered.results.map(({ file_name }) => file_name))).toEqual(new Set(['crane.md']));
    expect((await found({ top_k: 1 })).results).toHaveLength(1);
    expect((await found({ top_k: 35 })).results.length).toBeGreaterThan(30);
  });

  it('fences document text with an unpredictable mark', async () => {
    const marks = new Set<string>();
    for (let time = 0; time < 2; time += 1) {
      const { content } = await callTool('search', {
        pipeline_id: harbour.pipeline,
        query: 'crane',
        top_k: 1,
      });
      const [, mark, quoted] = /<document-text ([\w-]+)>\n([\s\S]*)\n<\/document-text \1>/.exec(
        content[0]!.text,
      )!;
      expect(quoted).toBe(`crane.md\n\n${HOSTILE}`);
      marks.add(mark!);
    }
    expect(marks.size).toBe(2);
  });

  it('names the invalid argument', async () => {
    const told = (more: object) => refused('search', { pipeline_id: harbour.pipeline, query: 'x', ...more });
    expect(await told({ query: ' ' })).toMatch(/^invalid: query: String should have at least 1 character/);
    expect(await told({ top_k: 101 })).toMatch(/top_k: /);
    expect(await told({ tok_k: 3 })).toMatch(/tok_k: /);
    expect(await told({ pipeline_id: 'harbour' })).toMatch(/pipeline_id: /);
    expect(await told({ pipeline_id: null })).toMatch(
      /pipeline_id: the project has \d+ pipelines, so pipeline_id or retriever_id is required/,
    );
    expect(await told({ retriever_id: harbour.retriever })).toMatch(/retriever_id: either/);
    expect(await told({ filters: { filters: [{ key: 'a', operator: '~' }] } })).toMatch(/filters.*operator/);
  });
});

describe('ask', () => {
  interface Answer {
    answer: string;
    complete: boolean;
    model: string;
    sources: (Passage & { citation: number; cited: boolean })[];
  }

  it('returns an answer whose citations match its sources', async () => {
    for (const where of [{ pipeline_id: harbour.pipeline }, { retriever_id: harbour.retriever }]) {
      const said = await called<Answer>('ask', { ...where, question: 'Who keeps the lighthouse?' });
      expect(said.answer).toContain('Ada Strand');
      expect(said).toMatchObject({ complete: true, model: expect.stringContaining('builtin') });
      const marks = [...said.answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
      const cited = said.sources.filter((each) => each.cited);
      expect(cited.map(({ citation }) => citation)).toEqual([...new Set(marks)]);
      expect(cited[0]).toMatchObject({
        file_id: harbour.files['manual.pdf'],
        file_name: 'manual.pdf',
        page: 7,
      });
    }
  });

  it('stores no conversation, and cites nothing if nothing answers', async () => {
    const before = await call('GET', `/api/v1/pipelines/${harbour.pipeline}/chat-sessions`);
    const said = await called<Answer>('ask', {
      pipeline_id: harbour.pipeline,
      question: 'What does the moon weigh?',
    });
    expect(said.sources.filter(({ cited }) => cited)).toEqual([]);
    const after = await call('GET', `/api/v1/pipelines/${harbour.pipeline}/chat-sessions`);
    expect(after.body).toEqual(before.body);
  });
});
