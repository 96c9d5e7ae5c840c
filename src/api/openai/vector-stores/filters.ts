import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { type MetadataFilters, metadataFilters } from '#src/retrieval-contract/filter-schema.ts';

const OPERATORS = {
  eq: '==',
  ne: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
  nin: 'nin',
} as const;
type Operator = keyof typeof OPERATORS;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export interface ComparisonFilter {
  type: Operator;
  key: string;
  value: string | number | boolean | (string | number | boolean)[];
}
export type AttributeFilter = ComparisonFilter | { type: 'and' | 'or'; filters: AttributeFilter[] };

const comparison = z.object({
  type: z.enum(Object.keys(OPERATORS) as [Operator, ...Operator[]]),
  key: z.string().min(1),
  value: z.union([scalar, z.array(scalar)]),
});

const nested: z.ZodType<AttributeFilter> = z
  .lazy(() => z.union([comparison, z.object({ type: z.enum(['and', 'or']), filters: z.array(nested) })]))
  .meta({ id: 'AttributeFilter' });

/** A union, because the API description of a nullable recursive schema would not allow null. */
export const optionalFilter = z
  .union([nested, z.null()])
  .optional()
  .describe('Filter over the attributes of files.');

type Part = MetadataFilters['filters'][number];

/** Converts a filter of the protocol to metadata filters. Throws `Invalid` for more than the index can evaluate. */
export function toMetadataFilters(
  filter: AttributeFilter,
  at: (string | number)[] = ['filters'],
): MetadataFilters {
  const { data, error } = metadataFilters.safeParse({ condition: 'and', filters: [toPart(filter, at)] });
  if (data) return data;
  throw Invalid.field(at, error.issues[0]?.message ?? 'invalid filter');
}

function toPart(filter: AttributeFilter, at: (string | number)[]): Part {
  if ('filters' in filter) {
    return {
      condition: filter.type,
      filters: filter.filters.map((each, index) => toPart(each, [...at, 'filters', index])),
    };
  }
  const { key, type, value } = filter;
  return { key, operator: OPERATORS[type], value: toValue(value, [...at, 'value']) };
}

/** Converts a value to one that the index compares. The index has booleans as texts. */
function toValue(value: ComparisonFilter['value'], at: (string | number)[]) {
  const convert = (each: string | number | boolean) => (typeof each === 'boolean' ? String(each) : each);
  if (!Array.isArray(value)) return convert(value);
  const all = value.map(convert);
  if (all.every((each) => typeof each === 'number')) return all;
  if (all.every((each) => typeof each === 'string')) return all;
  throw Invalid.field(at, 'a list has either texts or numbers');
}
