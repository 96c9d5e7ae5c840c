import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { toFieldScalar } from './document.ts';
import type { FilterableKey } from './filterable.ts';

/**
 * Maximum number of comparisons per filter. Azure rejects filters with more than a few hundred comparisons.
 */
const MAX_COMPARISONS = 200;
/**
 * Candidates for the character that separates ids in a list. The first character that occurs in no id is
 * used.
 */
const DELIMITERS = ['|', ',', ';', '~', '\t', '\u001f'];

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const equals = (field: string, text: string): string => `${field} eq ${quoted(text)}`;

export const all = (...parts: string[]): string => parts.join(' and ');

export function isAmong(field: string, ids: string[]): string {
  const delimiter = DELIMITERS.find((each) => !ids.some((id) => id.includes(each)));
  if (delimiter === undefined)
    return joinConditions(
      'or',
      ids.map((id) => equals(field, id)),
    );
  return `search.in(${field}, ${quoted(ids.join(delimiter))}, ${quoted(delimiter)})`;
}

/**
 * Converts a pre-filter to an OData filter. Returns `undefined` if OData cannot express it. The search is
 * then not filtered by Azure.
 */
export function toODataFilter(preFilter: PreFilter, keys: FilterableKey[]): string | undefined {
  let comparisons = 0;

  function convert(part: PreFilter): string | undefined {
    if ('all' in part) {
      const conditions = part.all.map(convert).filter((each) => each !== undefined);
      return conditions.length === 0 ? undefined : joinConditions('and', conditions);
    }
    if ('any' in part) {
      const conditions = part.any.map(convert);
      return conditions.every((each) => each !== undefined) ? joinConditions('or', conditions) : undefined;
    }
    const known = keys.find(({ key }) => key === part.key);
    if (!known) return undefined;
    const { field } = known;
    const conditions = 'oneOf' in part ? buildEqualities(known, part.oneOf) : buildRange(known, part);
    comparisons += conditions.length + 1;
    const unfilterable = `unfilterable/any(u: ${equals('u', field)})`;
    return conditions.includes(undefined)
      ? undefined
      : joinConditions('or', [...(conditions as string[]), unfilterable]);
  }

  const filter = convert(preFilter);
  return comparisons <= MAX_COMPARISONS ? filter : undefined;
}

const joinConditions = (how: 'and' | 'or', parts: string[]): string =>
  parts.length === 1 ? parts[0]! : `(${parts.join(` ${how} `)})`;

/**
 * Returns one OData comparison for each value that the field can hold. Documents with other values are
 * accepted by another condition, on the field `unfilterable`.
 */
function buildEqualities({ field, type }: FilterableKey, values: (string | number | boolean)[]): string[] {
  const held = new Set(
    values.map((value) => toFieldScalar(type, value)).filter((value) => value !== undefined),
  );
  return [...held].map((value) =>
    type === 'Collection' ? `${field}/any(v: v eq ${toLiteral(value)})` : `${field} eq ${toLiteral(value)}`,
  );
}

/**
 * Returns OData comparisons of a number field with the bounds of a range. A bound is `undefined` if every
 * number satisfies it. The list is empty for fields without numbers.
 */
function buildRange(
  { field, type }: FilterableKey,
  { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: { least?: number; most?: number },
): (string | undefined)[] {
  if (type === 'String' || type === 'Collection' || type === 'Boolean') return [];
  const isWhole = type !== 'Double';
  const [from, to] = isWhole ? [Math.ceil(least), Math.floor(most)] : [least, most];
  // If the field's type cannot hold any number of the range, no document matches.
  if (
    (from > 0 && toFieldScalar(type, from) === undefined) ||
    (to < 0 && toFieldScalar(type, to) === undefined)
  )
    return [];
  const bounds = [
    ...(toFieldScalar(type, from) === undefined ? [] : [`${field} ge ${toLiteral(from)}`]),
    ...(toFieldScalar(type, to) === undefined ? [] : [`${field} le ${toLiteral(to)}`]),
  ];
  return [bounds.length === 0 ? undefined : joinConditions('and', bounds)];
}

function toLiteral(value: string | number | boolean): string {
  if (typeof value === 'string') return quoted(value);
  // Adding zero turns negative zero into zero, which OData can express.
  return String(typeof value === 'number' ? value + 0 : value);
}
