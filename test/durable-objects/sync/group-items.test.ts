import { describe, expect, it } from 'vitest';
import {
  getSmallerGroupSize,
  groupItems,
  MAX_ITEMS_PER_MESSAGE,
  type WaitingItem,
} from '#objects/sync/group-items.ts';

const small = (id: string, most = MAX_ITEMS_PER_MESSAGE, bytes = 1000) => ({ id, bytes, most, line: 1 });
const large = (id: string) => small(id, MAX_ITEMS_PER_MESSAGE, 70_000);
const unknown = (id: string) => ({ id, bytes: null, most: MAX_ITEMS_PER_MESSAGE, line: 1 });
const first = (id: string) => ({ ...small(id), line: 0 });
const idsTogether = (line: WaitingItem[]) => groupItems(line).map(({ ids }) => ids);

describe('groupItems', () => {
  it('groups small neighbouring items and keeps their order', () => {
    const line = [
      small('a'),
      small('b'),
      large('c'),
      small('d'),
      unknown('e'),
      unknown('f'),
      small('g'),
      small('h'),
    ];
    expect(idsTogether(line)).toEqual([['a', 'b'], ['c'], ['d'], ['e'], ['f'], ['g', 'h']]);
  });

  it('limits the number of items and bytes in a group', () => {
    const many = Array.from({ length: MAX_ITEMS_PER_MESSAGE + 1 }, (_, n) => small(String(n)));
    expect(idsTogether(many).map(({ length }) => length)).toEqual([MAX_ITEMS_PER_MESSAGE, 1]);
    const heavy = Array.from({ length: 20 }, (_, n) => small(String(n), MAX_ITEMS_PER_MESSAGE, 60_000));
    expect(idsTogether(heavy).map(({ length }) => length)).toEqual([8, 8, 4]);
  });

  it('respects the smallest group limit of the items', () => {
    const line = [small('a'), small('b', 3), small('c'), small('d'), small('e', 1), small('f')];
    expect(idsTogether(line)).toEqual([['a', 'b', 'c'], ['d'], ['e'], ['f']]);
  });

  it('separates interactive items from the others', () => {
    expect(groupItems([first('a'), first('b'), small('c')])).toEqual([
      { ids: ['a', 'b'], isFirst: true },
      { ids: ['c'], isFirst: false },
    ]);
  });

  it('shrinks the group size after a failure down to one item', () => {
    const steps = [MAX_ITEMS_PER_MESSAGE];
    while (steps.at(-1)! > 1) steps.push(getSmallerGroupSize(steps.at(-1)!));
    expect(steps).toEqual([500, 125, 32, 8, 2, 1]);
  });
});
