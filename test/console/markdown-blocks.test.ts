import { describe, expect, it } from 'vitest';
import { MAX_BLOCK_CHARACTERS } from '../../console/src/screens/chat/large-blocks.ts';
import { splitIntoBlocks } from '../../console/src/screens/chat/markdown-blocks.ts';
import { HOSTILE_UNITS } from '../support/linear-time.ts';

const listTexts = (text: string) => splitIntoBlocks(text).map((block) => block.text);

describe('splitIntoBlocks', () => {
  it.each([
    ['paragraphs', 'One.\n\nTwo.\n', ['One.\n', 'Two.\n']],
    [
      'a list with empty lines and paragraphs',
      '1. a\n\n   more\n\n2. b\n\nEnd',
      ['1. a\n\n   more\n\n2. b\n', 'End'],
    ],
    ['code with empty lines', '```js\na\n\nb\n```\n\nEnd', ['```js\na\n\nb\n```\n', 'End']],
    ['code whose fence is not closed', '````\na\n\n```\n\nb', ['````\na\n\n```\n\nb']],
    ['indented code', '    a\n\n    b\n\nEnd', ['    a\n\n    b\n', 'End']],
    ['a table', '| a |\n|---|\n| b |\n\nEnd', ['| a |\n|---|\n| b |\n', 'End']],
    ['definitions', 'See [a].\n\n[a]: https://example.com', ['See [a].\n\n[a]: https://example.com']],
    ['nothing', '', ['']],
  ])('splits %s', (_, text, blocks) => {
    expect(listTexts(text)).toEqual(blocks);
    expect(blocks.join('\n')).toBe(text);
  });

  it('changes only the last block when text is appended', () => {
    const text = '# Title\n\nOne *two*.\n\n- a\n- b\n\n```\ncode\n\nmore\n```\n\nEnd of it.';
    for (let length = 1; length < text.length; length += 1) {
      const [before, after] = [
        splitIntoBlocks(text.slice(0, length)),
        splitIntoBlocks(text.slice(0, length + 1)),
      ];
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });
});

const repeat = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n));

/** Blocks of about 100 KB. */
const LARGE = {
  'a table': ['| berth | metres |', '|---|--:|', ...repeat(4_000, (n) => `| Berth ${n} | ${n * 3} |`)].join(
    '\n',
  ),
  code: ['```js', ...repeat(3_000, (n) => `const berth${n} = { metres: ${n} };`), '```'].join('\n'),
  'a paragraph of one line': repeat(16_000, (n) => `word${n}`).join(' '),
  'a paragraph without blanks': '船'.repeat(100_000),
  'a list': repeat(4_000, (n) => `${n + 1}. Berth ${n} is free.`).join('\n'),
  'a text with definitions': [
    '[a]: https://example.com',
    ...repeat(2_000, (n) => `Paragraph ${n} of a text with [a].`),
  ].join('\n\n'),
};

describe('a large block', () => {
  it.each(Object.entries({ ...LARGE, ...HOSTILE_UNITS }))('of %s is split into bounded parts', (_, unit) => {
    const text = unit.length > 50_000 ? unit : unit.repeat(Math.ceil(50_000 / unit.length));
    const blocks = splitIntoBlocks(text);
    for (const block of blocks) expect(block.text.length).toBeLessThanOrEqual(1.25 * MAX_BLOCK_CHARACTERS);
    // Each part, without what was added before it, is at its place in the text, and the parts leave out only blanks.
    const ends = blocks.map(({ text: part, start, prefix }, position) => {
      const end = blocks[position + 1]?.start ?? text.length;
      const own = text.slice(start, end).trimEnd();
      expect(part.slice(prefix).startsWith(own)).toBe(true);
      return end;
    });
    const between = blocks.map(({ start }, position) => text.slice(ends[position - 1] ?? 0, start));
    expect(between.join('').trim()).toBe('');
  });

  it('of a table repeats the header in each part', () => {
    const parts = listTexts(LARGE['a table']);
    expect(parts.length).toBeGreaterThan(20);
    for (const part of parts) expect(part).toMatch(/^\| berth \| metres \|\n\|---\|--:\|\n\| Berth \d+ \|/);
    for (const text of [LARGE['a table'], `${LARGE['a table']}\n\nEnd`]) {
      const tables = splitIntoBlocks(text).filter((block) => block.text.startsWith('|'));
      expect(tables.map(({ part }) => part?.columns)).toEqual(parts.map(() => 2));
    }
  });

  it('of code opens and closes the code in each part', () => {
    const parts = listTexts(LARGE.code);
    expect(parts.length).toBeGreaterThan(20);
    for (const part of parts) expect(part).toMatch(/^```js\nconst [^`]*```$/);
  });

  it('of a list is split between items', () => {
    const parts = listTexts(LARGE['a list']);
    expect(parts.length).toBeGreaterThan(20);
    for (const part of parts) expect(part).toMatch(/^\d+\. Berth /);
  });

  it('is not split within a character', () => {
    for (const part of listTexts('😀'.repeat(20_000))) expect(part.isWellFormed()).toBe(true);
  });

  /** Returns how many characters of blocks are parsed while a text arrives, if blocks are parsed when they change. */
  function countParsed(text: string, step: number): number {
    let parsed = 0;
    let before: string[] = [];
    for (let length = step; length <= text.length; length += step) {
      const blocks = listTexts(text.slice(0, length));
      parsed += blocks.reduce((sum, block, at) => sum + (block === before[at] ? 0 : block.length), 0);
      before = blocks;
    }
    return parsed;
  }

  it.each(Object.entries(LARGE))(
    'of %s is parsed in work proportional to its length as it grows',
    (_, text) => {
      const half = countParsed(text.slice(0, 40_000), 200);
      const whole = countParsed(text.slice(0, 80_000), 200);
      expect(whole / half).toBeLessThan(2.5);
    },
  );
});
