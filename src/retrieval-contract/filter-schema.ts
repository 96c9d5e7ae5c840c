import { z } from 'zod';
import { FILTER_OPERATORS, type Filter, type FilterOperator, type Filters } from '#src/ports/index-types.ts';

const MAX_DEPTH = 16;
const MAX_FILTERS = 1000;
/**
 * Maximum number of values in all filter lists of a request together. Every document is compared with each
 * value.
 */
const MAX_VALUES = 10_000;
/** Maximum number of characters in all keys and text values of a request's filters together. */
const MAX_CHARACTERS = 1_000_000;

type Shape = 'string' | 'number' | 'list' | 'null';

const ALLOWED_SHAPES: Record<FilterOperator, readonly Shape[]> = {
  '==': ['string', 'number', 'list', 'null'],
  '!=': ['string', 'number', 'list', 'null'],
  '>': ['string', 'number'],
  '>=': ['string', 'number'],
  '<': ['string', 'number'],
  '<=': ['string', 'number'],
  in: ['list'],
  nin: ['list'],
  any: ['list'],
  all: ['list'],
  contains: ['string', 'number', 'list'],
  text_match: ['string'],
  text_match_insensitive: ['string'],
  is_empty: ['null', 'string', 'number', 'list'],
};

const SHAPE_NAMES: Record<Shape, string> = {
  string: 'a string',
  number: 'a number',
  list: 'a list of strings or numbers',
  null: 'null',
};

const OPERATOR_ERROR = `operator must be one of ${FILTER_OPERATORS.join(', ')}`;
const TOO_MANY_VALUES = `at most ${MAX_VALUES} values are allowed in all filters together`;
const VALUE_ERROR =
  "value must be a string, a number, null, or a list of strings or of numbers (write a boolean as 'true' or 'false')";

const isTooLong = (value: unknown) => Array.isArray(value) && value.length > MAX_VALUES;

/**
 * Creates an error message for unknown fields. They are rejected, because a misspelt operator would otherwise
 * be ignored.
 */
const allowOnly = (...names: string[]) => ({
  error: (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown ${issue.keys.join(', ')}: only ${joinWords(names, 'and')} are allowed`
      : undefined,
});
const class_name = z.string().nullish();

const metadataFilter = z
  .strictObject(
    {
      key: z.string().min(1),
      value: z
        .union(
          [z.number(), z.string(), z.array(z.string()).max(MAX_VALUES), z.array(z.number()).max(MAX_VALUES)],
          { error: ({ input }) => (isTooLong(input) ? TOO_MANY_VALUES : VALUE_ERROR) },
        )
        .nullish(),
      operator: z
        .enum(FILTER_OPERATORS, { error: OPERATOR_ERROR })
        .nullish()
        .transform((operator) => operator ?? '=='),
      class_name,
    },
    allowOnly('key', 'value', 'operator'),
  )
  .check(({ value: { operator, value }, issues }) => {
    const say = (message: string) => issues.push({ code: 'custom', path: ['value'], input: value, message });
    if (value === undefined) {
      if (operator !== 'is_empty') say(`value is required for operator ${operator}`);
      return;
    }
    const allowed = ALLOWED_SHAPES[operator];
    if (!allowed.includes(getShape(value))) {
      say(`operator ${operator} takes ${joinWords(allowed.map((shape) => SHAPE_NAMES[shape]))} as value`);
    }
  });

export type MetadataFilter = z.output<typeof metadataFilter>;
export interface MetadataFilters {
  class_name?: string | null | undefined;
  condition: 'and' | 'or' | 'not';
  filters: (MetadataFilter | MetadataFilters)[];
}

const nested: z.ZodType<MetadataFilters> = z.lazy(() => group).meta({ id: 'NestedMetadataFilters' });

const group = z.strictObject(
  {
    condition: z
      .enum(['and', 'or', 'not'], { error: 'condition must be one of and, or, not' })
      .nullish()
      .transform((condition) => condition ?? 'and'),
    filters: z
      .array(z.union([metadataFilter, nested], { error: describeElementError }))
      .max(MAX_FILTERS, `at most ${MAX_FILTERS} filters are allowed`),
    class_name,
  },
  allowOnly('condition', 'filters'),
);

/**
 * Schema of metadata filters in requests. Groups of filters may be nested. `condition` defaults to `and`, and
 * `operator` to `==`.
 */
export const metadataFilters = group.check(({ value, issues }) => {
  const { depth, count, values, characters } = measureGroup(value);
  const say = (message: string) =>
    issues.push({ code: 'custom', path: ['filters'], input: value.filters, message });
  if (depth > MAX_DEPTH) say(`filters may be nested at most ${MAX_DEPTH} levels deep`);
  if (count > MAX_FILTERS) say(`at most ${MAX_FILTERS} filters are allowed`);
  if (values > MAX_VALUES) say(`${TOO_MANY_VALUES}, not ${values}`);
  if (characters > MAX_CHARACTERS)
    say(`keys and values may have at most ${MAX_CHARACTERS} characters together, not ${characters}`);
});

export function toFilters({ condition, filters }: MetadataFilters): Filters {
  return {
    condition,
    filters: filters.map((part) => ('filters' in part ? toFilters(part) : toFilter(part))),
  };
}

function toFilter({ key, operator, value }: MetadataFilter): Filter {
  return { key, operator, value: value ?? null };
}

function getShape(value: string | number | unknown[] | null): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'number' ? 'number' : 'string';
}

function joinWords(words: string[], last = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

interface Extent {
  depth: number;
  count: number;
  values: number;
  characters: number;
}

function measureGroup(part: MetadataFilters): Extent {
  const inner = part.filters.map((each) => ('filters' in each ? measureGroup(each) : measureFilter(each)));
  const total = (name: 'count' | 'values' | 'characters') => inner.reduce((sum, each) => sum + each[name], 0);
  return {
    depth: 1 + inner.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    count: total('count'),
    values: total('values'),
    characters: total('characters'),
  };
}

function measureFilter({ key, value }: MetadataFilter): Extent {
  const values = [value ?? []].flat();
  const characters = values.reduce<number>((sum, each) => sum + String(each).length, key.length);
  return { depth: 0, count: 1, values: values.length, characters };
}

/**
 * Describes the error in a filter or group. The form that the caller probably meant is checked, because a
 * union only reports that no form matches.
 */
function describeElementError(issue: z.core.$ZodRawIssue): string {
  const input = issue.input;
  if (typeof input !== 'object' || input === null) return 'a filter must be an object';
  const isGroup = 'filters' in input;
  if (!isGroup && !('key' in input))
    return 'a filter needs key and value, and a group of filters needs filters';
  const branches = issue.code === 'invalid_union' ? issue.errors : [];
  const problems = branches[isGroup ? 1 : 0] ?? [];
  return (
    problems
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; ') || 'invalid filter'
  );
}
