import { rankByWords } from './lucene.ts';
import { compileODataFilter, type Document, type Field } from './odata.ts';
import { Refused } from './refused.ts';

const MOST_NEAREST = 10_000;
const LARGEST_PAGE = 1_000;
const MOST_SKIPPED = 100_000;
/** Number of text results that a hybrid search combines with the nearest vectors. */
const MOST_RECALLED = 1_000;
/** Constant of reciprocal rank fusion. */
const RANK_CONSTANT = 60;
const FIRST_WITH_DEBUG = '2025-09-01';

export interface Search {
  search?: string;
  queryType?: string;
  searchMode?: string;
  searchFields?: string;
  filter?: string;
  select?: string;
  orderby?: string;
  top?: number;
  skip?: number;
  debug?: string;
  vectorQueries?: { vector: number[]; fields: string; k: number }[];
}

interface Found {
  document: Document;
  score: number;
  debug?: object;
}

/** Returns one page of search results. Throws if the vendor would reject the search. */
export function search(fields: Field[], documents: Map<string, Document>, asked: Search, version: string) {
  const { filter, select, orderby, top = 50, skip = 0, debug = 'disabled' } = asked;
  if (top > LARGEST_PAGE) throw new Refused(`Invalid top: ${top}`);
  if (skip > MOST_SKIPPED) throw new Refused(`Invalid skip: ${skip}`);
  if (!['disabled', 'vector'].includes(debug) || (debug !== 'disabled' && version < FIRST_WITH_DEBUG))
    throw new Refused(`Invalid debug: ${debug}`);
  const passes = filter === undefined ? () => true : compileODataFilter(filter, fields);
  const passing = [...documents.values()].filter(passes);
  const nearest = asked.vectorQueries?.[0] && findNearest(fields, passing, asked.vectorQueries[0]);
  const worded =
    asked.search !== undefined && asked.search !== '*'
      ? findWords(fields, documents, passing, asked)
      : undefined;
  const found =
    nearest && worded
      ? fuse(nearest, worded.slice(0, MOST_RECALLED))
      : (nearest ?? worded ?? sortBy(orderby, fields, passing));
  const names = select?.split(',') ?? fields.filter(isRetrievable).map(({ name }) => name);
  for (const name of names) {
    const field = fields.find((each) => each.name === name);
    if (!field || !isRetrievable(field)) throw new Refused(`The field '${name}' cannot be selected.`);
  }
  return found.slice(skip, skip + top).map(({ document, score, debug: info }) => ({
    '@search.score': score,
    ...(debug === 'vector' && info && { '@search.documentDebugInfo': info }),
    ...Object.fromEntries(names.map((name) => [name, document[name] ?? null])),
  }));
}

const isRetrievable = ({ retrievable }: Field) => retrievable !== false;
const sortByScore = (found: Found[]) => found.sort((a, b) => b.score - a.score);

function findNearest(
  fields: Field[],
  documents: Document[],
  { vector, fields: name, k }: { vector: number[]; fields: string; k: number },
): Found[] {
  const field = fields.find((each) => each.name === name);
  if (!field?.dimensions) throw new Refused(`Unknown vector field '${name}'.`);
  if (vector.length !== field.dimensions) {
    throw new Refused(
      `The vector field expects a length of ${field.dimensions}, and the vector has ${vector.length}.`,
    );
  }
  if (k > MOST_NEAREST) throw new Refused(`Invalid k: ${k}`);
  const found = documents.map((document) => {
    const cosine = cosineSimilarity(vector, document[name] as number[]);
    return { document, score: 1 / (2 - cosine) };
  });
  return sortByScore(found).slice(0, k);
}

/** Document frequencies count all documents, also those that the filter excludes. */
function findWords(
  fields: Field[],
  documents: Map<string, Document>,
  passing: Document[],
  { search: text = '', queryType, searchMode = 'any', searchFields = '' }: Search,
): Found[] {
  const field = fields.find((each) => each.name === searchFields);
  if (!field?.searchable || field.type !== 'Edm.String')
    throw new Refused(`The field '${searchFields}' is not searchable.`);
  if (queryType !== 'full' || searchMode !== 'any' || field.analyzer !== 'whitespace')
    throw new Refused(
      'The test vendor only evaluates the full syntax, any term, and the analyser whitespace.',
    );
  const texts = [...documents].flatMap(([id, document]): [string, string][] => {
    const value = document[searchFields];
    return typeof value === 'string' ? [[id, value]] : [];
  });
  const scores = rankByWords(text, new Map(texts));
  return sortByScore(
    passing.flatMap((document) => {
      const score = scores.get(document.id as string);
      return score === undefined ? [] : [{ document, score }];
    }),
  );
}

function sortBy(orderby: string | undefined, fields: Field[], passing: Document[]): Found[] {
  const found = passing.map((document) => ({ document, score: 1 }));
  if (orderby === undefined) return found;
  const name = orderby.replace(/ asc$/, '');
  if (!fields.find((each) => each.name === name)?.sortable) throw new Refused(`Not sortable: ${name}`);
  const isNumber = fields.find((each) => each.name === name)?.type !== 'Edm.String';
  return found.sort((a, b) => {
    const [one, other] = [a.document[name], b.document[name]];
    return isNumber ? Number(one) - Number(other) : String(one) < String(other) ? -1 : 1;
  });
}

/** Combines both arms by reciprocal rank fusion. A document that one arm did not find has no score of this arm. */
function fuse(nearest: Found[], worded: Found[]): Found[] {
  const all = new Map<Document, { near?: number; words?: number; score: number }>();
  const add = (found: Found[], arm: 'near' | 'words') => {
    for (const [rank, { document, score }] of found.entries()) {
      const known = all.get(document) ?? { score: 0 };
      all.set(document, { ...known, [arm]: score, score: known.score + 1 / (RANK_CONSTANT + rank + 1) });
    }
  };
  add(nearest, 'near');
  add(worded, 'words');
  return sortByScore(
    [...all].map(([document, { near, words, score }]) => ({
      document,
      score,
      debug: {
        vectors: {
          subscores: {
            ...(words !== undefined && { text: { searchScore: words } }),
            ...(near !== undefined && {
              vectors: [{ vector: { searchScore: near, vectorSimilarity: 2 - 1 / near } }],
            }),
          },
        },
      },
    })),
  );
}

function cosineSimilarity(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}
