import { describe, expect, it } from 'vitest';
import { type Check, type CheckedPiece, checkMarks } from '#src/chat/check-marks.ts';

async function* comingIn(parts: Iterable<string>): AsyncGenerator<string> {
  yield* parts;
}

/** A passage supports a statement that contains the passage's word. */
const WORDS = ['keeper', 'painter', 'ferry'];
const check: Check = (citation, statement) =>
  statement.includes(WORDS[citation - 1] ?? 'nothing') ? undefined : 'no';

async function checked(
  parts: Iterable<string>,
  by = check,
): Promise<{ text: string; dropped: [number, string][] }> {
  const pieces: CheckedPiece[] = await Array.fromAsync(checkMarks(comingIn(parts), by));
  return {
    text: pieces.map((piece) => (piece.type === 'text' ? piece.delta : '')).join(''),
    dropped: pieces.flatMap((piece) =>
      piece.type === 'dropped' ? [[piece.citation, piece.statement] as [number, string]] : [],
    ),
  };
}

describe('checkedMarks', () => {
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
  ])('drops unsupported citation marks: %s', async (said, text, dropped) => {
    for (const parts of [[said], [...said], said.split(/(?<=\s)/)]) {
      expect(await checked(parts)).toEqual({ text, dropped });
    }
  });

  it('delays only the text that a mark depends on', async () => {
    const passed: string[] = [];
    const source = (async function* () {
      for (const part of ['It is old ', 'and has a keeper [1]', ', who ', 'sings. ', 'Then', ' more']) {
        yield part;
        passed.push('|');
      }
    })();
    for await (const piece of checkMarks(source, check)) if (piece.type === 'text') passed.push(piece.delta);
    expect(passed.join('')).toBe('It is old| and has a keeper|| [1], who sings.| Then| more|');
  });

  describe('if a passage supports only statements about its own year', () => {
    const YEARS = ['1902', '1950', '1950'];
    const checkYear: Check = (citation, statement) =>
      String(statement.match(/\d{4}/g)) === YEARS[citation - 1] ? undefined : 'another year';
    const checkYears = (said: string) => checked([said], checkYear);

    it('compares a later mark with the text since the mark before', async () => {
      const said = 'The bridge opened in 1902 [1], and the ferry stopped in 1950 [2].';
      expect(await checkYears(said)).toEqual({ text: said, dropped: [] });
    });

    it('compares adjacent marks with the same text', async () => {
      const said = 'The bridge opened in 1902 [1], and the ferry stopped in 1950 [2][3].';
      expect(await checkYears(said)).toEqual({ text: said, dropped: [] });
    });

    it('drops a mark that only the text before the earlier mark supports', async () => {
      const statement = 'The bridge opened in 1902, and the ferry stopped in 1950.';
      expect(await checkYears('The bridge opened in 1902 [1], and the ferry stopped in 1950 [1].')).toEqual({
        text: 'The bridge opened in 1902 [1], and the ferry stopped in 1950.',
        dropped: [[1, statement]],
      });
    });
  });
});
