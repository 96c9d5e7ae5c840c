import { Refused } from '../behaviour.ts';
import type { Field, Fields, Source } from './mapping.ts';
import { countTerms } from './terms.ts';

type Bounds = { gt?: unknown; gte?: unknown; lt?: unknown; lte?: unknown };
export interface Query {
  bool?: {
    filter?: Query | Query[];
    must?: Query | Query[];
    should?: Query | Query[];
    minimum_should_match?: number;
  };
  term?: Record<string, { value: unknown; boost?: number } | string | number>;
  terms?: Record<string, unknown[]>;
  range?: Record<string, Bounds>;
  knn?: unknown;
}

export type Passes = (source: Source) => boolean;

interface Context {
  fields: Fields;
  /** Whether ranges of keywords are allowed. */
  allowsExpensive: boolean;
}

const MOST_TERMS = 65_536;
const MOST_CLAUSES = 1_024;

const refuse = (message: string, status = 400) => new Refused({ status, message });

/** Compiles a query to a predicate. Throws if the server refuses the query. */
export function compileQuery(query: Query, context: Context): Passes {
  const count = countClauses(query);
  if (count > MOST_CLAUSES) throw refuse(`too_many_clauses: maxClauseCount is set to ${MOST_CLAUSES}`);
  return compile(query, context);
}

const countClauses = ({ bool }: Query): number =>
  bool
    ? [...listClauses(bool.filter), ...listClauses(bool.must), ...listClauses(bool.should)].reduce(
        (sum, each) => sum + countClauses(each),
        0,
      )
    : 1;

export const listClauses = (clauses: Query | Query[] = []): Query[] => [clauses].flat();

function compile(query: Query, context: Context): Passes {
  const { bool, term, terms, range } = query;
  if (bool) return compileBool(bool, context);
  if (term) {
    const [name, given] = getOnly(term);
    const { boost = 1 } = typeof given === 'object' ? given : {};
    if (boost < 0) throw refuse(`negative [boost] are not allowed in [term], found [${boost}]`);
    const wanted = typeof given === 'object' ? given.value : given;
    return compileTerms(name, [wanted], context);
  }
  if (terms) {
    const [name, wanted] = getOnly(terms);
    if (!Array.isArray(wanted)) throw refuse(`[terms] query requires an array for [${name}]`);
    if (wanted.length > MOST_TERMS)
      throw refuse(`The number of terms [${wanted.length}] exceeds ${MOST_TERMS}`);
    return compileTerms(name, wanted, context);
  }
  if (range) return compileRange(...getOnly(range), context);
  throw refuse(`unknown query [${Object.keys(query).join()}]`);
}

function compileBool(
  { filter, must, should, minimum_should_match }: NonNullable<Query['bool']>,
  context: Context,
): Passes {
  const required = [...listClauses(filter), ...listClauses(must)].map((each) => compile(each, context));
  const optional = listClauses(should).map((each) => compile(each, context));
  const least = minimum_should_match ?? (required.length === 0 && optional.length > 0 ? 1 : 0);
  return (source) =>
    required.every((passes) => passes(source)) && optional.filter((passes) => passes(source)).length >= least;
}

function getOnly<T>(members: Record<string, T>): [string, T] {
  const entries = Object.entries(members);
  if (entries.length !== 1) throw refuse('query does not support multiple fields');
  return entries[0]!;
}

/** Returns the mapping of a searched field, or `undefined` for an unmapped field, which no document has. */
function findField(name: string, { fields }: Context): Field | undefined {
  const field = fields[name];
  if (field?.index === false) throw refuse(`Cannot search on field [${name}] since it is not indexed`);
  return field;
}

function compileTerms(name: string, wanted: unknown[], context: Context): Passes {
  const field = findField(name, context);
  if (!field) return () => false;
  if (field.type === 'text') return compileWords(name, wanted, field);
  return (source) => listValues(source, name).some((value) => wanted.includes(value));
}

/** Finds exact terms of a field that is split at spaces. Other analysers change the terms. */
function compileWords(name: string, wanted: unknown[], field: Field): Passes {
  if (field.analyzer !== 'whitespace') throw refuse(`[${name}] is analyzed, so exact terms are not found`);
  return (source) => wanted.some((term) => countTerms(source, name)?.terms.has(String(term)));
}

function compileRange(name: string, bounds: Bounds, context: Context): Passes {
  const field = findField(name, context);
  if (field?.type === 'keyword' && !context.allowsExpensive) {
    const message = `[range] queries on [text] or [keyword] fields cannot be executed when 'search.allow_expensive_queries' is set to false.`;
    throw refuse(message, 500);
  }
  if (!field) return () => false;
  const isIn = (value: unknown) =>
    Object.entries(bounds).every(([bound, limit]) => {
      const order = compareValues(value, limit);
      if (bound === 'gt' || bound === 'gte') return bound === 'gt' ? order > 0 : order >= 0;
      return bound === 'lt' ? order < 0 : order <= 0;
    });
  return (source) => listValues(source, name).some(isIn);
}

/** Compares numbers by size and terms by their UTF-8 bytes. */
function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number') return one - Number(other);
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

const listValues = (source: Source, name: string): unknown[] => [source[name] ?? []].flat();
