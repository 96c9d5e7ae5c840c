import type { Filter } from '#src/ports/index-types.ts';
import { AND, BETWEEN, type Comparison, comparisonAt } from './comparison.ts';
import { isFree, isNamedNear } from './find.ts';
import type { Reading, Span } from './reading.ts';
import type { Property } from './schema.ts';
import { filterOn } from './values.ts';

/** The digits as English writes 1,000.50, as others write 1.000,50, and without groups. */
const NUMBER =
  /(?<![\p{L}\p{N}.,-])[-−]?(?:([1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)|([1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)|(\d+(?:\.\d+|,\d{1,2}(?!\d))?))\s*(k|m|million|thousand|billion|bn|miljoen|millionen|millones|milioni|%)?(?![\p{L}\p{N}])/giu;
const FACTORS: Record<string, number> = { k: 1e3, thousand: 1e3, billion: 1e9, bn: 1e9, '%': 1 };

interface Mention {
  value: number;
  span: Span;
}

/**
 * Numbers that stand by the property's name, years for one that holds years, or known values, with their comparison.
 */
export function numberFilters(property: Property, reading: Reading): Filter[] {
  const { key, kind, values } = property;
  const isKnown = ({ value }: Mention) => kind === 'enum' && values.includes(value);
  const mentions = numbersIn(reading.query).filter((mention) => {
    const { value, span } = mention;
    return (
      isFree(reading, span) &&
      value >= property.minimum &&
      value <= property.maximum &&
      (isKnown(mention) ||
        (property.isYear && Number.isInteger(value) && value >= 1900 && value < 2100) ||
        isNamedNear(reading, property, span))
    );
  });
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
  const operator = operatorAt(reading, property, first);
  if (kind !== 'enum' || !isEquality(operator)) return [{ key, operator, value: first.value }];
  const named = (wanted: Comparison) =>
    values.filter((value) =>
      mentions.some((each) => each.value === value && operatorAt(reading, property, each) === wanted),
    );
  for (const each of mentions.filter(isKnown).map(({ span }) => span)) reading.taken.push(each);
  return [...filterOn(key, named('=='), '==', 'in'), ...filterOn(key, named('!='), '!=', 'nin')];
}

const isEquality = (operator: Comparison) => operator === '==' || operator === '!=';

function operatorAt({ query }: Reading, { isYear }: Property, { span }: Mention): Comparison {
  const operator = comparisonAt(query, ...span);
  // "From 2020" asks for that year on its own: only a range or "since" is open.
  const exact = operator === '>=' && isYear && /\bfrom\s*$/i.test(query.slice(0, span[0]));
  return exact ? '==' : operator;
}

export function isRange(query: string, first: Span, second: Span): boolean {
  return BETWEEN.test(query.slice(0, first[0])) && AND.test(query.slice(first[1], second[0]))
    ? true
    : /^\s*[-–—]\s*$/.test(query.slice(first[1], second[0]));
}

function numbersIn(query: string): Mention[] {
  return [...query.matchAll(NUMBER)].map((match) => {
    const [, english, other, plain = ''] = match;
    const digits = english?.replaceAll(',', '') ?? (other?.replaceAll('.', '') ?? plain).replace(',', '.');
    const unit = match[4]?.toLowerCase() ?? '';
    const factor = unit === '' ? 1 : (FACTORS[unit] ?? 1e6);
    const sign = /^[-−]/.test(match[0]) ? -1 : 1;
    return {
      value: sign * Number(digits) * factor,
      span: [match.index, match.index + match[0].trimEnd().length] as Span,
    };
  });
}
