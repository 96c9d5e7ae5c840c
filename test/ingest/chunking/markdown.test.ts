import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { readTextBlocks } from '#src/ingest/chunking/markdown-blocks.ts';
import { joinPages } from '#src/ingest/join-pages.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { configured, paged, plain, tools } from './helpers.ts';

const sentence = (n: number) => `Sentence number ${n} is about the same length as all others here.`;
const auto = (chunk_size: number, chunk_overlap = 0) => ({ mode: 'auto', chunk_size, chunk_overlap });

async function listBlockKinds(text: string, pageStarts: number[] = []) {
  const blocks = await readTextBlocks({ text, pageStarts }, tools);
  expect(blocks.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  return blocks.map(({ kind, title }) => (title === undefined ? kind : `${kind} ${title}`));
}

describe('block kinds', () => {
  it.each([
    ['a fence within a longer one', '````md\n```\n# no\n```\n````\n\n# yes', ['code', 'heading yes']],
    ['a fence of another kind within', '~~~\n```\n# no\n~~~\ntext', ['code', 'text']],
    ['a table with one dash a column', 'a|b\n-|-\nc|d\n\ntext', ['table', 'text']],
    [
      'an underlined heading',
      'Title *one*\n===\ntext\n\nTwo\n---\n',
      ['heading Title one', 'text', 'heading Two'],
    ],
    ['a paragraph above a line', 'One line\nand another.\n---\nmore', ['text', 'text']],
    ['a heading within a quote or a list', '> # no\n\n- # no', ['text', 'list']],
    ['a heading that links', '# See [docs][1]\n\n[1]: http://x', ['heading See docs', 'text']],
    ['rows without a header', '| a | b |\n| c | d |\n\ntext', ['table', 'text']],
    ['bullets of plain texts', '• one\n• two\n\n    - deep\n', ['list', 'list']],
    ['indented text', '    A letter begins here.\n\nText', ['text', 'text']],
    [
      'an HTML table with blank lines',
      '<table>\n\n<tr><td>x\n\n# no\n\n</table>\n\n# yes',
      ['table', 'heading yes'],
    ],
    ['an HTML table without an end', '<table>\n\n# yes', ['table', 'heading yes']],
    ['front matter', '---\ntitle: x\n---\n# yes', ['text', 'heading yes']],
    ['no front matter', '---\n# yes\n---\n', ['text', 'heading yes', 'text']],
    ['line ends of all kinds', '# one\r\ntext\r\r\n# two\r', ['heading one', 'text', 'heading two']],
  ])('%s', async (_, text, kinds) => {
    expect(await listBlockKinds(text)).toEqual(kinds);
  });

  it('does not treat a page above a separator line as a setext heading', async () => {
    const document = paged(['The end of a page', 'The next']);
    expect(await listBlockKinds(document.text, document.pageStarts)).toEqual(['text', 'text']);
    expect(await listBlockKinds(document.text)).toEqual(['heading The end of a page', 'text']);
  });

  it('ignores headings inside code blocks', async () => {
    const text = `# Real\n\n\`\`\`\`md\n\`\`\`\n# Not one\n\`\`\`\n\`\`\`\`\n\n${sentence(1)} ${sentence(2)} ${sentence(3)}`;
    const chunks = await chunkDocument(plain(text), configured(auto(30)), tools);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { headings } of chunks) expect(headings).toEqual(['Real']);
  });
});

describe('heading stays with its text', () => {
  const bodies: Record<string, string> = {
    sentences: Array.from({ length: 6 }, (_, n) => sentence(n)).join(' '),
    'a table': `| a | b |\n|---|---|\n${'| one. Two. | three. Four. |\n'.repeat(7)}`,
    code: `\`\`\`\n${'const some = "thing" + 12;\n'.repeat(9)}\`\`\``,
    'a list': `- ${sentence(1)}\n`.repeat(6),
    'one long word': 'Qx7Zk'.repeat(60),
  };
  const limits = Array.from({ length: 101 }, (_, n) => 30 + n);
  it.each(Object.keys(bodies))('%s, for every limit', async (name) => {
    const part = (n: number) => `# Part ${n}\n\n## Chapter ${n}\n\n${bodies[name]}\n\n`;
    const text = Array.from({ length: 6 }, (_, n) => part(n)).join('');
    for (const limit of limits) {
      for (const overlap of [0, 12]) {
        for (const chunk of await chunkDocument(plain(text), configured(auto(limit, overlap)), tools)) {
          expect(chunk.text.split('\n').at(-1), `limit ${limit}`).not.toMatch(/^#/);
          expect(tools.countTokens(chunk.text)).toBeLessThanOrEqual(limit);
        }
      }
    }
  });
});

it('overlap never repeats text from above a heading', async () => {
  const part = (n: number) => `# Part ${n}\n\n${sentence(n)} ${sentence(n + 100)} ${sentence(n + 200)}\n\n`;
  const text = Array.from({ length: 8 }, (_, n) => part(n)).join('');
  let repeats = 0;
  for (const limit of [40, 50, 60, 75, 90]) {
    const chunks = await chunkDocument(plain(text), configured(auto(limit, 30)), tools);
    for (const [index, chunk] of chunks.slice(1).entries()) {
      const repeated = text.slice(chunk.startChar, chunks[index]!.endChar);
      expect(repeated).not.toContain('#');
      if (repeated !== '') repeats += 1;
      if (text.startsWith('#', chunk.startChar)) expect(repeated).toBe('');
    }
  }
  expect(repeats).toBeGreaterThan(5);
});

describe('page separators in text files', () => {
  async function segments(name: string, text: string, page_separator?: string) {
    const bytes = new TextEncoder().encode(text);
    const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
    const pages = await readAll(document);
    const transform = configured({
      chunking_config: { mode: 'none' },
      segmentation_config: { mode: 'page', ...(page_separator !== undefined && { page_separator }) },
    });
    return (await chunkDocument(joinPages(pages, resolveParsePlan({})), transform, tools)).map(
      (chunk) => chunk.text,
    );
  }
  for (const name of ['a.txt', 'a.md']) {
    it.each([
      ['the default one', 'One.\n---\nTwo.\n\n---\n\nThree.', undefined, ['One.', 'Two.', 'Three.']],
      ['a word', 'One. <page> Two.\n\n<page>\n\nThree.', '<page>', ['One.', 'Two.', 'Three.']],
      ['blank lines', 'One.\n\nStill one.\n\n\n\nTwo.', '\n\n\n', ['One.\n\nStill one.', 'Two.']],
      ['form feeds as well', 'One.\n\fTwo.\n---\nThree.', undefined, ['One.', 'Two.', 'Three.']],
    ])(`${name}: %s`, async (_, text, separator, expected) => {
      expect(await segments(name, text, separator)).toEqual(expected);
    });
  }
});
