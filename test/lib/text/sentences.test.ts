import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentenceBounds, sentences } from '#src/lib/text/sentences.ts';

describe('sentences', () => {
  it.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    [
      'Dr. Smith et al. met J. Doe at 3.5 p.m. on Monday. He left.',
      ['Dr. Smith et al. met J. Doe at 3.5 p.m. on Monday.', 'He left.'],
    ],
    ['“Stop.” She left. (Really.) Yes', ['“Stop.”', 'She left.', '(Really.)', 'Yes']],
    [
      'Version 2.0 is e.g. faster. See https://a.b/c.d for more.',
      ['Version 2.0 is e.g. faster.', 'See https://a.b/c.d for more.'],
    ],
    ['你好。你好吗？我很好！「是的。」他说', ['你好。', '你好吗？', '我很好！', '「是的。」', '他说']],
    ['هل أنت بخير؟ نعم.', ['هل أنت بخير؟', 'نعم.']],
    ['A title\n\nA paragraph', ['A title', 'A paragraph']],
    ['1. First item\n2. Second item', ['1. First item\n2. Second item']],
    ['Wait... what?', ['Wait...', 'what?']],
    ['   ', []],
  ])('%j', (text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it('cover any text without gaps', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'B', '.', '。', ' ', '\n', '"', '1', '?') }),
        (text) => {
          const bounds = sentenceBounds(text);
          expect(bounds.map(([start, end]) => text.slice(start, end)).join('')).toBe(text);
          for (const [start, end] of bounds) expect(end).toBeGreaterThan(start);
        },
      ),
    );
  });
});
