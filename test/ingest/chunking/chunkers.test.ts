import { describe, expect, it } from 'vitest';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { configured, paged, plain, tools } from './helpers.ts';

const chunkTexts = async (text: string, config: unknown) =>
  (await chunkDocument(plain(text), configured(config), tools)).map((chunk) => chunk.text);
const sentence = (n: number) => `Sentence number ${n} is about the same length as all others here.`;
const prose = Array.from({ length: 40 }, (_, n) => sentence(n)).join(' ');

describe('auto', () => {
  const auto = (chunk_size: number, chunk_overlap = 0) => ({ mode: 'auto', chunk_size, chunk_overlap });

  it('ends chunks at sentence ends and fills them', async () => {
    const chunks = await chunkTexts(prose, auto(60));
    expect(chunks.length).toBeLessThan(12);
    for (const chunk of chunks) expect(chunk).toMatch(/^Sentence .*here\.$/);
    expect(chunks.join(' ')).toBe(prose);
  });

  it('repeats whole sentences up to the overlap', async () => {
    const chunks = await chunkTexts(prose, auto(60, 20));
    for (const [index, chunk] of chunks.slice(1).entries()) {
      const repeated = sentence(Number(/number (\d+)/.exec(chunk)![1]));
      expect(chunks[index]!.endsWith(repeated)).toBe(true);
    }
  });

  it('keeps a heading with its text and starts chunks at headings', async () => {
    const body = Array.from({ length: 5 }, (_, n) => sentence(n)).join(' ');
    const text = `# One\n\n${body}\n\n## Two\n\n${body}\n\n# Three\n\n${body}`;
    const chunks = await chunkTexts(text, auto(110));
    expect(chunks.map((chunk) => chunk.split('\n')[0])).toEqual(['# One', '## Two', '# Three']);
  });

  it('keeps tables and code whole if they fit, and splits larger tables between rows', async () => {
    const table = `| a | b |\n|---|---|\n${'| one. Two. | three. Four. |\n'.repeat(4)}`;
    const code = '```ts\nconst a = 1. + 2.;\n\nconst b = 3.;\n```';
    const text = `${sentence(1)} ${sentence(2)}\n\n${table}\n${sentence(3)} ${sentence(4)}\n\n${code}\n\n${sentence(5)}`;
    const chunks = await chunkTexts(text, auto(75));
    expect(chunks.some((chunk) => chunk.includes(table.trim()))).toBe(true);
    expect(chunks.some((chunk) => chunk.includes(code))).toBe(true);
    const large = await chunkTexts(
      `| a | b |\n|---|---|\n${'| one. Two. | three. Four. |\n'.repeat(50)}`,
      auto(60),
    );
    for (const chunk of large) expect(chunk).toMatch(/^\|[\s\S]*\|$/);
  });

  it('returns the headings that apply to each chunk', async () => {
    const text = `${sentence(0)}\n\n# Part **one**\n\n## Chapter\n\n${prose}\n\n# Part two\n\n${sentence(1)}`;
    const chunks = await chunkDocument(plain(text), configured(auto(100)), tools);
    expect(chunks[0]!.headings).toEqual([]);
    expect(chunks.find(({ text }) => text.includes('number 20 '))!.headings).toEqual(['Part one', 'Chapter']);
    expect(chunks.at(-1)!.headings).toEqual(['Part two']);
  });

  it('does not treat comments in code as headings', async () => {
    const [chunk] = await chunkDocument(plain('```sh\n# no heading\nls\n```\n'), configured({}), tools);
    expect(chunk!.headings).toEqual([]);
  });

  it.each([
    ['Chinese', '这是第一句话。', /。$/],
    ['Japanese', 'これは最初の文です。', /。$/],
    ['Arabic', 'هل هذه هي الجملة الأولى؟ ', /؟$/],
    ['Hebrew', 'זה המשפט הראשון. ', /\.$/],
    ['Hindi', 'यह पहला वाक्य है। ', /।$/],
  ])('splits %s at sentence ends', async (_name, one, end) => {
    const chunks = await chunkTexts(one.repeat(40), auto(80));
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk).toMatch(end);
  });
});

describe('advanced chunkers', () => {
  it('none leaves each segment whole', async () => {
    expect(await chunkTexts(`  ${prose}\n`, { chunking_config: { mode: 'none' } })).toEqual([prose]);
  });

  it('character ends at a sentence end if one is near', async () => {
    const chunks = await chunkTexts(prose, {
      chunking_config: { mode: 'character', chunk_size: 200, chunk_overlap: 0 },
    });
    for (const chunk of chunks) {
      expect(chunk.length).toBeLessThanOrEqual(200);
      expect(chunk).toMatch(/\.$/);
    }
  });

  it('token fills its windows and splits at the separator', async () => {
    const text = Array.from({ length: 200 }, (_, n) => `w${n};x`).join('|');
    const chunks = await chunkTexts(text, {
      chunking_config: { mode: 'token', chunk_size: 40, chunk_overlap: 0, separator: '|' },
    });
    for (const chunk of chunks.slice(0, -1)) {
      expect(chunk).toMatch(/^w\d+;[\s\S]*x\|$/);
      expect(tools.countTokens(chunk)).toBeGreaterThan(30);
    }
  });

  it('sentence prefers paragraphs and splits a long sentence at its separator', async () => {
    const chunking_config = {
      mode: 'sentence',
      chunk_size: 40,
      chunk_overlap: 0,
      separator: ';',
      paragraph_separator: '@@',
    };
    const [first, second] = await chunkTexts(`${sentence(1)} ${sentence(2)}@@${sentence(3)} ${sentence(4)}`, {
      chunking_config,
    });
    expect(first).toBe(`${sentence(1)} ${sentence(2)}@@`);
    expect(second).toBe(`${sentence(3)} ${sentence(4)}`);
    const clauses = await chunkTexts('alpha beta gamma delta;'.repeat(30), { chunking_config });
    for (const clause of clauses) expect(clause).toMatch(/^alpha[\s\S]*delta;$/);
  });

  it('semantic splits where the subject changes', async () => {
    const cats = 'Cats purr loudly at night. Cats sleep and purr. Loudly purr the cats at night.';
    const taxes = 'Tax returns need receipts. Receipts prove tax payments. Tax payments need returns.';
    const config = {
      chunking_config: { mode: 'semantic', buffer_size: 0, breakpoint_percentile_threshold: 80 },
    };
    expect(await chunkTexts(`${cats} ${taxes}`, config)).toEqual([cats, taxes]);
  });
});

describe('segmenters', () => {
  const none = { mode: 'none' };

  it('page creates one segment per page without separators', async () => {
    const config = configured({ chunking_config: none, segmentation_config: { mode: 'page' } });
    const chunks = await chunkDocument(paged(['One.', '', 'Three.']), config, tools);
    expect(chunks.map(({ text, startPage, endPage }) => [text, startPage, endPage])).toEqual([
      ['One.', 0, 0],
      ['Three.', 2, 2],
    ]);
    expect(
      await chunkTexts('a<p>b<p>', {
        chunking_config: none,
        segmentation_config: { mode: 'page', page_separator: '<p>' },
      }),
    ).toEqual(['a', 'b']);
  });

  it('element separates tables and groups text under its headings', async () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |';
    const text = `# One\n\nText.\n\nMore.\n\n${table}\n\nAfter.\n\n# Two\n\n## Three\n\n- item`;
    expect(
      await chunkTexts(text, { chunking_config: none, segmentation_config: { mode: 'element' } }),
    ).toEqual(['# One\n\nText.\n\nMore.', table, 'After.', '# Two\n\n## Three\n\n- item']);
  });

  it('chunks name the first and last page that they cover', async () => {
    const [chunk] = await chunkDocument(paged(['One.', 'Two.', 'Three.']), configured({}), tools);
    expect([chunk!.startPage, chunk!.endPage]).toEqual([0, 2]);
    const [alone] = await chunkDocument(plain('One.'), configured({}), tools);
    expect(alone).not.toHaveProperty('startPage');
  });
});
