import { smallest } from '#src/lib/extremes.ts';
import { isNonText, type Piece, type Section } from './pieces.ts';

/** Matches the number of a card, such as `3.` before its title. */
const NUMBER = /^(\d{1,3})[.)]\s?(?=\D)/;
/** Maximum distance between the lower edges of two titles in one row, in letter heights. */
const MAX_SHIFT = 0.5;
/** Minimum number of cards that show whether their numbers run along the rows or down the columns. */
const MIN_CARDS = 3;

interface Title {
  number: number;
  piece: Piece & { size: number };
}

/**
 * Divides two columns into rows of cards if the numbers of their titles run along the rows, as in 1 and 2 above 3 and
 * 4. Returns the two columns as the only row if their numbers say nothing else.
 */
export function splitIntoCardRows(section: Section): Section[] {
  const [left, right] = [listTitles(section.left), listTitles(section.right)];
  if (!runAlongRows(left, right)) return [section];
  // The first row also gets the pieces above the first titles.
  const tops = left
    .slice(1)
    .map(({ piece }, at) => smallest([piece.y0, right[at + 1]?.piece.y0 ?? piece.y0]));
  const rows: Section[] = Array.from({ length: tops.length + 1 }, () => ({ left: [], right: [] }));
  const place = (pieces: readonly Piece[], side: 'left' | 'right') => {
    let row = 0;
    for (const piece of pieces.toSorted((a, b) => a.y0 + a.y1 - b.y0 - b.y1)) {
      while (row < tops.length && (piece.y0 + piece.y1) / 2 >= tops[row]!) row++;
      rows[row]![side].push(piece);
    }
  };
  place(section.left, 'left');
  place(section.right, 'right');
  return rows;
}

function listTitles(pieces: readonly Piece[]): Title[] {
  const titles: Title[] = [];
  for (const piece of pieces) {
    const match = isNonText(piece) ? undefined : NUMBER.exec(piece.text);
    if (match) titles.push({ number: Number(match[1]), piece: piece as Title['piece'] });
  }
  return titles.sort((a, b) => a.piece.y1 - b.piece.y1);
}

/** Returns whether titles stand in rows, and each number follows the one before it in its row or the row above. */
function runAlongRows(left: readonly Title[], right: readonly Title[]): boolean {
  if (left.length + right.length < MIN_CARDS) return false;
  if (right.length !== left.length && right.length !== left.length - 1) return false;
  const first = left[0]!.number;
  return left.every(({ number, piece }, at) => {
    const beside = right[at];
    if (number !== first + 2 * at) return false;
    return (
      !beside ||
      (beside.number === number + 1 && Math.abs(beside.piece.y1 - piece.y1) <= MAX_SHIFT * piece.size)
    );
  });
}
