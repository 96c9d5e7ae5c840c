import type { Document } from 'mongodb';
import { z } from 'zod';
import { countTexts } from '../bm25.ts';
import { type Collection, refusedSearch } from './collection.ts';

// Evaluates the part of MongoDB Search that Sluice uses: the operators `text`, `equals`, `in` and `compound`.

const MOST_CLAUSES = 1_024;

export type SearchOperator =
  | { text: { query: string; path: string; score?: { boost: { value: number } } | undefined } }
  | { equals: { path: string; value: string } }
  | { in: { path: string; value: string[] } }
  | { compound: Compound };
type Clause = 'must' | 'should' | 'filter';
export type Compound = Partial<Record<Clause, SearchOperator[]>> & {
  minimumShouldMatch?: number | undefined;
};

const boost = z.strictObject({ boost: z.strictObject({ value: z.number().positive() }) });
const clauses = z.array(z.lazy(() => operator)).min(1);
export const compound: z.ZodType<Compound> = z
  .strictObject({
    ...{ must: clauses.optional(), should: clauses.optional(), filter: clauses.optional() },
    minimumShouldMatch: z.int().min(0).optional(),
  })
  .refine(
    ({ should = [], minimumShouldMatch = 0 }) => minimumShouldMatch <= should.length,
    'minimumShouldMatch > number of should clauses',
  ) as z.ZodType<Compound>;
const operator: z.ZodType<SearchOperator> = z.union([
  z.strictObject({
    text: z.strictObject({ query: z.string().min(1), path: z.string(), score: boost.optional() }),
  }),
  z.strictObject({ equals: z.strictObject({ path: z.string(), value: z.string() }) }),
  z.strictObject({ in: z.strictObject({ path: z.string(), value: z.array(z.string()).min(1) }) }),
  z.strictObject({ compound }),
]);

/** Returns whether a document matches, and its score. */
type Test = (document: Document) => number | undefined;
type Field = { type: string; analyzer?: string };
type ScoreWord = ReturnType<typeof countTexts>;
interface Searched {
  fields: Record<string, Field>;
  scorePath: (path: string) => ScoreWord;
}

/** Runs a full-text search as documented: no results without an index, and scores by BM25. */
export function textSearch(
  collection: Collection | undefined,
  { index: name, compound: query }: { index: string; compound: Compound },
): Document[] {
  const index = collection?.searchIndexes.get(name);
  if (!collection || !index) return [];
  if (index.type !== 'search') throw refusedSearch(`${name} is not a search index`);
  if (index.building > 0)
    throw refusedSearch(`cannot query search index ${name} while in state INITIAL_SYNC`);
  if (countClauses({ compound: query }) > MOST_CLAUSES)
    throw refusedSearch(`maxClauseCount is set to ${MOST_CLAUSES}`);
  const fields = index.definition.mappings.fields as Record<string, Field>;
  const test = compileCompound(query, { fields, scorePath: createPathScorer(collection) });
  return [...collection.documents.values()]
    .flatMap((document) => {
      const score = test(document);
      return score === undefined ? [] : [{ ...document, $score: score }];
    })
    .sort((a, b) => b.$score - a.$score);
}

/** Counts the words of each path once. Document frequencies count all documents of the collection. */
function createPathScorer({ documents }: Collection): (path: string) => ScoreWord {
  const known = new Map<string, ScoreWord>();
  return (path) => {
    const texts = () => [...documents].map(([id, document]): [string, string] => [id, document[path] ?? '']);
    const scoreWord = known.get(path) ?? countTexts(new Map(texts()));
    known.set(path, scoreWord);
    return scoreWord;
  };
}

function countClauses(query: SearchOperator): number {
  if ('in' in query) return query.in.value.length;
  if (!('compound' in query)) return 1;
  const { must = [], should = [], filter = [] } = query.compound;
  return [...must, ...should, ...filter].reduce((sum, each) => sum + countClauses(each), 0);
}

function compileCompound(query: Compound, searched: Searched): Test {
  const compile = (each: SearchOperator) => compileOperator(each, searched);
  const [must, should, filter] = [query.must, query.should, query.filter].map((each = []) =>
    each.map(compile),
  );
  const isOptional = must!.length + filter!.length > 0;
  const least = Math.max(query.minimumShouldMatch ?? 0, isOptional ? 0 : 1);
  return (document) => {
    const needed = [...must!, ...filter!].map((test) => test(document));
    const wanted = should!.map((test) => test(document)).filter((score) => score !== undefined);
    if (needed.includes(undefined) || wanted.length < least) return undefined;
    const scored = [...needed.slice(0, must!.length), ...wanted] as number[];
    return scored.reduce((sum, score) => sum + score, 0);
  };
}

function compileOperator(query: SearchOperator, searched: Searched): Test {
  if ('compound' in query) return compileCompound(query.compound, searched);
  if ('text' in query) return compileText(query.text, searched);
  const { fields } = searched;
  const { path, values } =
    'in' in query
      ? { path: query.in.path, values: query.in.value }
      : { path: query.equals.path, values: [query.equals.value] };
  if (fields[path]?.type !== 'token') throw refusedSearch(`Path '${path}' needs to be indexed as token`);
  const wanted = new Set(values);
  return (document) => ([document[path]].flat().some((value) => wanted.has(value as string)) ? 1 : undefined);
}

function compileText(
  { query, path, score }: Extract<SearchOperator, { text: object }>['text'],
  { fields, scorePath }: Searched,
): Test {
  const field = fields[path];
  if (field?.type !== 'string') throw refusedSearch(`Path '${path}' needs to be indexed as string`);
  if (field.analyzer !== 'lucene.whitespace') throw refusedSearch(`${field.analyzer} is not known here`);
  const scoreWord = scorePath(path);
  const words = query.split(/\s+/u).filter(Boolean);
  return (document) => {
    const sum = words.reduce((total, word) => total + scoreWord(document._id, word), 0);
    return sum > 0 ? sum * (score?.boost.value ?? 1) : undefined;
  };
}
