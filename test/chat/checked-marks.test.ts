import { describe, expect, it } from 'vitest';
import { type CheckedPiece, checkedMarks } from '#src/chat/checked-marks.ts';

async function* comingIn(parts: Iterable<string>): AsyncGenerator<string> {
  yield* parts;
}

/** Passages bear out what has their word in it. */
const WORDS = ['keeper', 'painter', 'ferry'];
const check = (citation: number, statement: string) =>
  statement.includes(WORDS[citation - 1] ?? 'nothing') ? undefined : 'no';

async function checked(parts: Iterable<string>): Promise<{ text: string; dropped: [number, string][] }> {
  const pieces: CheckedPiece[] = await Array.fromAsync(checkedMarks(comingIn(parts), check));
  return {
    text: pieces.map((piece) => (piece.type === 'text' ? piece.delta : '')).join(''),
    dropped: pieces.flatMap((piece) =>
      piece.type === 'dropped' ? [[piece.citation, piece.statement] as [number, string]] : [],
    ),
  };
}

describe('the marks of an answer', () => {
  it.each([
    ['It has a keeper [1].', 'It has a keeper [1].', []],
    ['It has a keeper. [1] And more.', 'It has a keeper. [1] And more.', []],
    ['It has a keeper [2].', 'It has a keeper.', [[2, 'It has a keeper.']]],
    ['It has a keeper. [2] And more.', 'It has a keeper. And more.', [[2, 'It has a keeper.']]],
    ['According to [1], the keeper left.', 'According to [1], the keeper left.', []],
    ['A keeper [1] and a painter [1].', 'A keeper [1] and a painter [1].', []],
    ['It has a keeper [1][2].', 'It has a keeper [1].', [[2, 'It has a keeper.']]],
    ['It has a keeper [1, 2].', 'It has a keeper [1].', [[2, 'It has a keeper.']]],
    ['It has a keeper. Rain fell [1].', 'It has a keeper. Rain fell.', [[1, 'Rain fell.']]],
    ['It has a keeper [9].', 'It has a keeper.', [[9, 'It has a keeper.']]],
    ['In [2019] a[x] was [^1] and [1', 'In [2019] a[x] was [^1] and [1', []],
    ['有 keeper。[1]有雨。[1]', '有 keeper。[1]有雨。', [[1, '有雨。']]],
  ])('%s', async (said, text, dropped) => {
    for (const parts of [[said], [...said], said.split(/(?<=\s)/)]) {
      expect(await checked(parts)).toEqual({ text, dropped });
    }
  });

  it('hold back nothing but what a mark waits for', async () => {
    const passed: string[] = [];
    const source = (async function* () {
      for (const part of ['It is old ', 'and has a keeper [1]', ', who ', 'sings. ', 'Then', ' more']) {
        yield part;
        passed.push('|');
      }
    })();
    for await (const piece of checkedMarks(source, check))
      if (piece.type === 'text') passed.push(piece.delta);
    expect(passed.join('')).toBe('It is old| and has a keeper|| [1], who sings.| Then| more|');
  });
});
