import { describe, expect, it } from 'vitest';
import { formatValue, listChanges, parseValue } from '../../console/src/screens/inspector/metadata-values.ts';

describe('values of the metadata editor', () => {
  it.each([
    ['harbour', 'harbour'],
    ['42', 42],
    ['-1.5e3', -1500],
    ['true', true],
    ['"42"', '42'],
    ['["a", 7]', ['a', 7]],
    ['', ''],
    ['null', 'null'],
    ['{"a": 1}', '{"a": 1}'],
    ['[true]', '[true]'],
    ['"unfinished', '"unfinished'],
  ])('reads %s with its type', (text, value) => {
    expect(parseValue(text)).toEqual(value);
  });

  it.each(['harbour', '42', 'true', '"quoted"', '["a"]', '', 42, false, ['a', 7], []])(
    'writes %j so that it is read back',
    (value) => {
      expect(parseValue(formatValue(value))).toEqual(value);
    },
  );

  it('lists added, changed and removed keys, and leaves out unchanged ones and rows without a key', () => {
    const rows = [
      { key: 'same', text: '7' },
      { key: ' changed ', text: '"7"' },
      { key: 'added', text: 'x' },
      { key: '', text: '' },
    ];
    expect(listChanges({ same: 7, changed: 7, removed: ['x'] }, rows)).toEqual({
      removed: null,
      changed: '7',
      added: 'x',
    });
  });
});
