import type { Filter } from '../../../search/types.ts';
import { AND, BETWEEN, comparisonAt } from './comparison.ts';
import { isFree, isNamedNear } from './find.ts';
import type { Reading, Span } from './reading.ts';
import type { Property } from './schema.ts';

const NUMBER =
  /(?<![\p{L}\p{N}.,-])[-−]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(k|m|million|thousand|billion|bn|miljoen|millionen|millones|milioni|%)?(?![\p{L}\p{N}])/giu;
const FACTORS: Record<string, number> = { k: 1e3, thousand: 1e3, billion: 1e9, bn: 1e9, '%': 1 };

interface Mention {
  value: number;
  span: Span;
}

/** Numbers that stand by the property's name, or years for one that holds years, with their comparison. */
export function numberFilters(property: Property, reading: Reading): Filter[] {
  const { key } = property;
  const mentions = numbersIn(reading.query).filter(
    ({ value, span }) =>
      isFree(reading, span) &&
      value >= property.minimum &&
      value <= property.maximum &&
      ((property.isYear && Number.isInteger(value) && value >= 1900 && value < 2100) ||
        isNamedNear(reading, property, span)),
  );
  const [first, second] = mentions;
  if (!first) return [];
  reading.taken.push(first.span);
  if (second && isRange(reading.query, first.span, second.span)) {
    reading.taken.push(second.span);
    return [
      { key, operator: '>=', value: Math.min(first.value, second.value) },
      { key, operator: '<=', value: Math.max(first.value, second.value) },
    ];
  }
  const operator = comparisonAt(reading.query, ...first.span);
  // "From 2020" asks for that year on its own: only a range or "since" is open.
  const exact =
    operator === '>=' && property.isYear && /\bfrom\s*$/i.test(reading.query.slice(0, first.span[0]));
  return [{ key, operator: exact ? '==' : operator, value: first.value }];
}

export function isRange(query: string, first: Span, second: Span): boolean {
  return BETWEEN.test(query.slice(0, first[0])) && AND.test(query.slice(first[1], second[0]))
    ? true
    : /^\s*[-–—]\s*$/.test(query.slice(first[1], second[0]));
}

function numbersIn(query: string): Mention[] {
  return [...query.matchAll(NUMBER)].map((match) => {
    const unit = match[2]?.toLowerCase() ?? '';
    const factor = unit === '' ? 1 : (FACTORS[unit] ?? 1e6);
    const sign = /^[-−]/.test(match[0]) ? -1 : 1;
    return {
      value: sign * Number(match[1]!.replaceAll(',', '')) * factor,
      span: [match.index, match.index + match[0].trimEnd().length] as Span,
    };
  });
}
