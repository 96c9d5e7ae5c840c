import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { valueFor } from './document.ts';
import type { FilterableKey } from './filterable.ts';

// The vendor filters by expressions of OData.

/** Above some hundreds of comparisons the vendor refuses a filter. */
const MOST_COMPARISONS = 200;
/** None of them is in an id, as a rule: one that is in none of the ids parts them. */
const DELIMITERS = ['|', ',', ';', '~', '\t', '\u001f'];

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const equals = (field: string, text: string): string => `${field} eq ${quoted(text)}`;

export const all = (...parts: string[]): string => parts.join(' and ');

/** One of these ids. */
export function isAmong(field: string, ids: string[]): string {
  const delimiter = DELIMITERS.find((each) => !ids.some((id) => id.includes(each)));
  if (delimiter === undefined)
    return group(
      'or',
      ids.map((id) => equals(field, id)),
    );
  return `search.in(${field}, ${quoted(ids.join(delimiter))}, ${quoted(delimiter)})`;
}

/** The vendor's filter; undefined where it cannot say the narrowing, and all pass. */
export function filterOf(narrowing: Narrowing, keys: FilterableKey[]): string | undefined {
  let comparisons = 0;

  function rendered(part: Narrowing): string | undefined {
    if ('all' in part) {
      const said = part.all.map(rendered).filter((each) => each !== undefined);
      return said.length === 0 ? undefined : group('and', said);
    }
    if ('any' in part) {
      const said = part.any.map(rendered);
      return said.every((each) => each !== undefined) ? group('or', said) : undefined;
    }
    const known = keys.find(({ key }) => key === part.key);
    if (!known) return undefined;
    const { field } = known;
    const conditions = 'oneOf' in part ? equalities(known, part.oneOf) : range(known, part);
    comparisons += conditions.length + 1;
    const unfilterable = `unfilterable/any(u: ${equals('u', field)})`;
    return conditions.includes(undefined)
      ? undefined
      : group('or', [...(conditions as string[]), unfilterable]);
  }

  const filter = rendered(narrowing);
  return comparisons <= MOST_COMPARISONS ? filter : undefined;
}

const group = (how: 'and' | 'or', parts: string[]): string =>
  parts.length === 1 ? parts[0]! : `(${parts.join(` ${how} `)})`;

/** One for each value that the field can hold: documents with others are let pass by their own word. */
function equalities({ field, type }: FilterableKey, values: (string | number | boolean)[]): string[] {
  const held = new Set(values.map((value) => valueFor(type, value)).filter((value) => value !== undefined));
  return [...held].map((value) =>
    type === 'Collection' ? `${field}/any(v: v eq ${literal(value)})` : `${field} eq ${literal(value)}`,
  );
}

/** Only numbers are compared. Undefined: every number passes. */
function range(
  { field, type }: FilterableKey,
  { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: { least?: number; most?: number },
): (string | undefined)[] {
  if (type === 'String' || type === 'Collection' || type === 'Boolean') return [];
  const isWhole = type !== 'Double';
  const [from, to] = isWhole ? [Math.ceil(least), Math.floor(most)] : [least, most];
  // A bound beyond what the field can hold lets all of it pass, or nothing.
  if ((from > 0 && valueFor(type, from) === undefined) || (to < 0 && valueFor(type, to) === undefined))
    return [];
  const bounds = [
    ...(valueFor(type, from) === undefined ? [] : [`${field} ge ${literal(from)}`]),
    ...(valueFor(type, to) === undefined ? [] : [`${field} le ${literal(to)}`]),
  ];
  return [bounds.length === 0 ? undefined : group('and', bounds)];
}

function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return quoted(value);
  // Negative zero is written as zero.
  return String(typeof value === 'number' ? value + 0 : value);
}
