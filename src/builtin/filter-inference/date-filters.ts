import type { Filter } from '#src/ports/index-types.ts';
import { comparisonAt } from './comparison.ts';
import { datesIn } from './dates.ts';
import { isFree } from './find.ts';
import { isRange } from './numbers.ts';
import type { Reading, Span } from './reading.ts';
import type { Property } from './schema.ts';

/**
 * The dates of a query as bounds on ISO strings, which compare as dates do. Bare days also bound values with a time
 * of day, however it is written: they sort before any time of their day.
 */
export function dateFilters({ key }: Property, reading: Reading): Filter[] {
  const { query } = reading;
  const mentions = datesIn(query, reading.now)
    .map((date) => ({ ...date, span: [date.start, date.end] as Span }))
    .filter(({ span }) => isFree(reading, span));
  const [first, second] = mentions;
  if (!first) return [];
  reading.taken.push(first.span);
  const notBefore = (day: string): Filter => ({ key, operator: '>=', value: day });
  const before = (day: string): Filter => ({ key, operator: '<', value: day });
  if (second && isRange(query, first.span, second.span)) {
    reading.taken.push(second.span);
    return [notBefore(first.from), before(second.next)];
  }
  switch (comparisonAt(query, ...first.span)) {
    case '>':
      return [notBefore(first.next)];
    case '>=':
      // "From March 2024" is that month; "since March 2024" has no end.
      return /\bfrom\s*$/i.test(query.slice(0, first.start))
        ? [notBefore(first.from), before(first.next)]
        : [notBefore(first.from)];
    case '<':
      return [before(first.from)];
    case '<=':
      return [before(first.next)];
    case '!=':
      return [];
    case '==':
      return [notBefore(first.from), before(first.next)];
  }
}
