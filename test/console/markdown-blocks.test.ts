import { describe, expect, it } from 'vitest';
import { splitIntoBlocks } from '../../console/src/screens/chat/markdown-blocks.ts';

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
    expect(splitIntoBlocks(text)).toEqual(blocks);
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
