import { describe, expect, it } from 'vitest';
import { choosePassage } from '#src/evaluation/choose-passage.ts';

describe('the passage that supports a statement', () => {
  const text =
    'Gulls nest on the roofs of the town hall. Owls nest in the tower. In 2026, 12 ships called.\n\n| pier | depth |\n| --- | --- |\n| 3 | 9 m |';

  it.each([
    ['Owls live in the tower of the church', 'Owls nest in the tower.'],
    ['12 ships in 2026', 'In 2026, 12 ships called.'],
    ['The depth of pier 3 is 9 m', '| 3 | 9 m |'],
    ['where gulls nest', 'Gulls nest on the roofs of the town hall.'],
  ])('%s', (statement, passage) => {
    expect(choosePassage(text, statement)).toBe(passage);
    expect(text).toContain(passage);
  });

  it('is the first sentence if no word matches, and none of a text without words', () => {
    expect(choosePassage(text, 'Käse')).toBe('Gulls nest on the roofs of the town hall.');
    expect(choosePassage('--- !!! \n', 'Käse')).toBeUndefined();
  });

  it('joins short sentences, splits Japanese ones and cuts long ones', () => {
    expect(choosePassage('No. 5. The lock of the harbour opens at noon.', 'lock opens')).toBe(
      'No. 5. The lock of the harbour opens at noon.',
    );
    const japanese = '港は午前六時に開きます。夜は門が閉まり、船は入れません。';
    expect(choosePassage(japanese, '夜は船が入れません')).toBe(japanese);
    expect(choosePassage(`${'a '.repeat(5_000)}end`, 'a end')).toHaveLength(499);
    expect(choosePassage('x '.repeat(10_000_000), 'x')).toHaveLength(499);
  });
});
