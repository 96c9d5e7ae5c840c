import type { Rect } from '../geometry.ts';
import { containsCenter, overlapX, overlapY } from '../geometry.ts';
import type { TextWord } from '../text/words.ts';
import { findBandedTables } from './banded-tables.ts';
import { findRuledTables, type Table } from './tables.ts';

/**
 * Finds tables that are drawn with lines or stripes. Outlined cells inside a banded table may also look like
 * small tables, which are dropped. With `outlined`, a table needs only two cells with text.
 */
export function findDrawnTables(
  rules: readonly Rect[],
  words: readonly TextWord[],
  outlined: boolean,
): Table[] {
  const ruled = findRuledTables(rules, words, outlined);
  const banded = findBandedTables(rules, words).filter((table) => {
    const within = ruled.filter((other) => overlapX(table, other) > 0 && overlapY(table, other) > 0);
    return within.every(
      (other) =>
        containsCenter(table, other) &&
        other.rows.length < table.rows.length &&
        within.length * 2 < table.rows.length,
    );
  });
  const isBanded = (table: Table) =>
    banded.some((other) => overlapX(table, other) > 0 && overlapY(table, other) > 0);
  return [...ruled.filter((table) => !isBanded(table)), ...banded];
}
