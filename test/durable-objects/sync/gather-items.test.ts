import { describe, expect, it } from 'vitest';
import { fewer, gatherItems, MOST_TOGETHER, type WaitingItem } from '#objects/sync/gather-items.ts';

const small = (id: string, most = MOST_TOGETHER, bytes = 1000) => ({ id, bytes, most, line: 1 });
const large = (id: string) => small(id, MOST_TOGETHER, 70_000);
const unknown = (id: string) => ({ id, bytes: null, most: MOST_TOGETHER, line: 1 });
const first = (id: string) => ({ ...small(id), line: 0 });
const idsTogether = (line: WaitingItem[]) => gatherItems(line).map(({ ids }) => ids);

describe('items in line', () => {
  it('go together when they are small, and keep their order', () => {
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

  it('are no more than so many, and have no more to be read than so much', () => {
    const many = Array.from({ length: MOST_TOGETHER + 1 }, (_, n) => small(String(n)));
    expect(idsTogether(many).map(({ length }) => length)).toEqual([MOST_TOGETHER, 1]);
    const heavy = Array.from({ length: 20 }, (_, n) => small(String(n), MOST_TOGETHER, 60_000));
    expect(idsTogether(heavy).map(({ length }) => length)).toEqual([8, 8, 4]);
  });

  it('are as few as each of them may be with', () => {
    const line = [small('a'), small('b', 3), small('c'), small('d'), small('e', 1), small('f')];
    expect(idsTogether(line)).toEqual([['a', 'b', 'c'], ['d'], ['e'], ['f']]);
  });

  it('go apart from those that nobody waits for', () => {
    expect(gatherItems([first('a'), first('b'), small('c')])).toEqual([
      { ids: ['a', 'b'], isFirst: true },
      { ids: ['c'], isFirst: false },
    ]);
  });

  it('that failed together end alone', () => {
    const steps = [MOST_TOGETHER];
    while (steps.at(-1)! > 1) steps.push(fewer(steps.at(-1)!));
    expect(steps).toEqual([500, 125, 32, 8, 2, 1]);
  });
});
