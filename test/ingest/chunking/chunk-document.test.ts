import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { runs } from '#test/support/seed.ts';
import { configured, paged, plain, tools } from './helpers.ts';

const word = fc.constantFrom(
  'alpha',
  'Beta',
  '42',
  'naïve',
  '数据',
  '検索です。',
  'مرحبا',
  'שלום',
  '😀',
  '👩‍👩‍👧',
  'e.g.',
  'x'.repeat(300),
  '…',
);
const glue = fc.constantFrom(
  ' ',
  '. ',
  '! ',
  '\n',
  '\n\n',
  '\n\n\n',
  '。',
  '؟ ',
  '',
  '\t',
  '\n# Title\n',
  '\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  '\n```\ncode\n```\n',
  '\n- item ',
);
const prose = fc.array(fc.tuple(word, glue), { maxLength: 60 }).map((parts) => parts.flat().join(''));
const anyText = fc.oneof(
  prose,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

const size = fc.integer({ min: 1, max: 60 });
const sized = (mode: string) =>
  fc.tuple(size, fc.nat()).map(([chunk_size, n]) => ({ mode, chunk_size, chunk_overlap: n % chunk_size }));
const chunking = fc.oneof(
  fc.constant({ mode: 'none' }),
  sized('character'),
  sized('token'),
  sized('sentence'),
  fc.record({
    mode: fc.constant('semantic'),
    buffer_size: fc.integer({ min: 0, max: 3 }),
    breakpoint_percentile_threshold: fc.integer({ min: 0, max: 100 }),
  }),
);
const segmentation = fc.constantFrom({ mode: 'none' }, { mode: 'page' }, { mode: 'element' });
const config = fc
  .oneof(
    sized('auto'),
    fc.record({
      mode: fc.constant('advanced'),
      chunking_config: chunking,
      segmentation_config: segmentation,
    }),
  )
  .map(configured);

describe('chunkDocument for any text and configuration', () => {
  it('returns exact offsets, ordered chunks, page numbers and no blank chunk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 4 }), config, async (pages, transform) => {
        const document = paged(pages);
        const chunks = await chunkDocument(document, transform, tools);
        if (document.text.replaceAll('---', '').trim() !== '') expect(chunks.length).toBeGreaterThan(0);
        let start = -1;
        let end = -1;
        for (const chunk of chunks) {
          expect(document.text.slice(chunk.startChar, chunk.endChar)).toBe(chunk.text);
          expect(chunk.text.trim()).not.toBe('');
          expect(chunk.startChar).toBeGreaterThan(start);
          expect(chunk.endChar).toBeGreaterThan(end);
          start = chunk.startChar;
          end = chunk.endChar;
          if (pages.length === 0) continue;
          expect(document.pageStarts[chunk.startPage!]).toBeLessThanOrEqual(chunk.startChar);
          expect(document.pageStarts[chunk.endPage!]).toBeLessThan(chunk.endChar);
          expect(document.pageStarts[chunk.endPage! + 1] ?? Infinity).toBeGreaterThanOrEqual(chunk.endChar);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('keeps every character that is not white space', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, config, async (text, transform) => {
        const covered = new Uint8Array(text.length);
        for (const { startChar, endChar } of await chunkDocument(plain(text), transform, tools)) {
          covered.fill(1, startChar, endChar);
        }
        const lost = [...covered].flatMap((seen, index) => (seen ? [] : [text[index]!])).join('');
        // The page segmenter drops the separators themselves.
        expect(lost.replace(/[\s-]/g, '')).toBe('');
      }),
      { numRuns: runs(300) },
    );
  });

  it('respects the chunk size, except for a single code point that is larger', async () => {
    const sizes = fc.oneof(sized('auto'), sized('token'), sized('sentence'), sized('character'));
    await fc.assert(
      fc.asyncProperty(anyText, sizes, async (text, chunking) => {
        const transform =
          chunking.mode === 'auto' ? chunking : { mode: 'advanced', chunking_config: chunking };
        for (const chunk of await chunkDocument(plain(text), configured(transform), tools)) {
          const measured = chunking.mode === 'character' ? chunk.text.length : tools.countTokens(chunk.text);
          if ([...chunk.text].length > 1) expect(measured).toBeLessThanOrEqual(chunking.chunk_size);
        }
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('largest chunk that an index can store', () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const texts: Record<string, string> = {
    words: 'some words in a line\n'.repeat(150_000),
    'one long word': 'x'.repeat(2_500_000),
    'wide characters': '数据😀'.repeat(300_000),
    'a heading of any length': `# ${'title '.repeat(300_000)}\ntext`,
  };
  it.each(Object.keys(texts))('%s', async (name) => {
    const text = texts[name]!;
    const whole = configured({ mode: 'advanced', chunking_config: { mode: 'none' } });
    const chunks = await chunkDocument(plain(text), whole, tools);
    for (const chunk of chunks) {
      expect(bytes(chunk.text + chunk.headings.join(''))).toBeLessThan(1_010_000);
      expect(chunk.text.isWellFormed()).toBe(true);
    }
    const total = chunks.reduce((sum, chunk) => sum + chunk.text.replace(/\s/g, '').length, 0);
    expect(total).toBe(text.replace(/\s/g, '').length);
    if (name === 'words') for (const chunk of chunks) expect(chunk.text.endsWith('line')).toBe(true);
  });
});

describe('pauses while chunking', () => {
  const wrapped = `${'Qx7Zk/+pLmN0vBt'.repeat(5)}\n`.repeat(700);
  const long: Record<string, string> = {
    prose: 'A short sentence about boats. '.repeat(2_000),
    'lines without sentences': wrapped,
    'one unbroken run': wrapped.replaceAll('\n', ''),
  };
  for (const [name, text] of Object.entries(long)) {
    it.each(['auto', 'token', 'sentence', 'semantic'])(`${name}, %s`, async (mode) => {
      const transform = mode === 'auto' ? { mode } : { chunking_config: { mode } };
      let pauses = 0;
      let counted = 0;
      let most = 0;
      await chunkDocument(plain(text), configured(transform), {
        ...tools,
        countTokens(part) {
          counted += part.length;
          most = Math.max(most, counted);
          return tools.countTokens(part);
        },
        async pause() {
          pauses += 1;
          counted = 0;
        },
      });
      expect(pauses).toBeGreaterThan(2);
      // Number of characters counted without a pause.
      expect(most).toBeLessThan(text.length);
    });
  }

  it('stops when the pause rejects', async () => {
    const pause = () => Promise.reject(new Error('not wanted'));
    await expect(chunkDocument(plain(wrapped), configured({}), { ...tools, pause })).rejects.toThrow(
      'not wanted',
    );
  });
});

describe('time is proportional to length', () => {
  const pathological: Record<string, string> = {
    'one word without spaces': 'x'.repeat(400_000),
    dots: '.'.repeat(400_000),
    'white space around a word': `${' '.repeat(200_000)}x${'\n'.repeat(200_000)}`,
    'CJK without punctuation': '数据'.repeat(100_000),
    'one table row': `|${' cell |'.repeat(50_000)}`,
    hashes: '# '.repeat(100_000),
    'open fence': `\`\`\`\n${'line\n'.repeat(50_000)}`,
    'separator after separator': '\n---\n'.repeat(50_000),
  };
  for (const [name, text] of Object.entries(pathological)) {
    it(name, async () => {
      for (const mode of ['auto', 'character', 'token', 'sentence', 'semantic']) {
        const transform =
          mode === 'auto' ? { mode } : { chunking_config: { mode }, segmentation_config: { mode: 'page' } };
        const chunks = await chunkDocument(plain(text), configured(transform), tools);
        for (const chunk of chunks) expect(chunk.text.trim()).not.toBe('');
      }
    });
  }
});
