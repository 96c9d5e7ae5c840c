import type { Shape } from '#src/images/ink-shapes.ts';

/** Maximum number of letters whose neighbours are compared. */
const MAX_LETTERS = 2_000;
const MIN_LETTERS = 20;

/**
 * Returns the share of letters whose nearest neighbour is beside them and not above or below, from 0 to 1. In
 * upright text this is most letters, because lines are further apart than the letters of a line. A low share
 * suggests that the page is turned by a quarter. Returns `undefined` if there are too few letters.
 */
export function measureHorizontalShare(letters: readonly Shape[], letterHeight: number): number | undefined {
  if (letters.length < MIN_LETTERS) return undefined;
  const cell = Math.max(4, letterHeight * 2);
  const cells = new Map<string, Shape[]>();
  for (const letter of letters) {
    const key = `${Math.floor(middleX(letter) / cell)}:${Math.floor(middleY(letter) / cell)}`;
    const known = cells.get(key);
    if (!known) cells.set(key, [letter]);
    else if (known.length < 16) known.push(letter);
  }
  const every = Math.ceil(letters.length / MAX_LETTERS);
  let [beside, stacked] = [0, 0];
  for (let at = 0; at < letters.length; at += every) {
    const letter = letters[at]!;
    const [column, row] = [Math.floor(middleX(letter) / cell), Math.floor(middleY(letter) / cell)];
    let [nearest, isBeside] = [Number.POSITIVE_INFINITY, false];
    for (let y = row - 1; y <= row + 1; y++) {
      for (let x = column - 1; x <= column + 1; x++) {
        for (const other of cells.get(`${x}:${y}`) ?? []) {
          if (other === letter) continue;
          const [across, down] = [
            measureGap(letter.x0, letter.x1, other.x0, other.x1),
            measureGap(letter.y0, letter.y1, other.y0, other.y1),
          ];
          const distance = Math.max(across, down);
          if (across === 0 && down === 0) continue;
          if (distance < nearest) [nearest, isBeside] = [distance, across > down];
        }
      }
    }
    if (nearest === Number.POSITIVE_INFINITY) continue;
    if (isBeside) beside += 1;
    else stacked += 1;
  }
  return beside + stacked < MIN_LETTERS ? undefined : beside / (beside + stacked);
}

const middleX = ({ x0, x1 }: Shape) => (x0 + x1) / 2;
const middleY = ({ y0, y1 }: Shape) => (y0 + y1) / 2;

/** Returns the gap between two ranges, or 0 if they overlap. */
const measureGap = (from: number, to: number, otherFrom: number, otherTo: number): number =>
  Math.max(0, otherFrom - to, from - otherTo);
