import { type Document, Long } from 'mongodb';
import { z } from 'zod';
import { type Collection, Refused, type SearchIndex, vectorSearch } from './collection.ts';
import type { Database } from './commands.ts';
import { compound, textSearch } from './text-search.ts';

// Pipelines that Sluice sends, and their results.

const vectorStage = z
  .strictObject({
    $vectorSearch: z.strictObject({
      ...{ index: z.string(), path: z.string(), queryVector: z.unknown() },
      filter: z.record(z.string(), z.unknown()).optional(),
      ...{ numCandidates: z.int().min(1).max(10_000), limit: z.int().min(1) },
    }),
  })
  .refine(({ $vectorSearch: { limit, numCandidates } }) => limit <= numCandidates, 'limit > numCandidates');
const textStage = z.strictObject({ $search: z.strictObject({ index: z.string(), compound }) });
const limit = z.strictObject({ $limit: z.int().min(1) });
const project = <Score extends string>(score: Score) =>
  z.strictObject({
    $project: z.record(z.string(), z.union([z.literal([0, 1]), z.strictObject({ $meta: z.literal(score) })])),
  });

const textPipeline = z.tuple([textStage, limit, project('searchScore')]);
const vectorPipeline = z.tuple([vectorStage, project('vectorSearchScore')]);
// Servers before MongoDB 8.0 reject `$vectorSearch` in `$unionWith`.
const union = z.strictObject({ $unionWith: z.strictObject({ coll: z.string(), pipeline: textPipeline }) });
const listing = z.tuple([
  z.strictObject({ $listSearchIndexes: z.strictObject({ name: z.string().optional() }) }),
]);

export const aggregation = {
  aggregate: z.string(),
  cursor: z.strictObject({ batchSize: z.int().optional() }),
  pipeline: z.union([listing, textPipeline, vectorPipeline, z.tuple([...vectorPipeline.def.items, union])]),
};
type Aggregation = z.output<z.ZodObject<typeof aggregation>> & { $db: string };
type Projection = Record<string, 0 | 1 | { $meta: string }>;

type Searched = Pick<Database, 'collections' | 'unseen' | 'behind'>;

/** Runs a pipeline and returns its results as the only batch. */
export function aggregate(
  { aggregate: name, $db, pipeline, cursor }: Aggregation,
  database: Searched,
): Document {
  const found = runPipeline(name, pipeline, database);
  if (found.length > (cursor.batchSize ?? 101))
    throw new Refused(237, 'CursorKilled', 'getMore is not known here');
  return { cursor: { id: Long.ZERO, ns: `${$db}.${name}`, firstBatch: found } };
}

function runPipeline(name: string, pipeline: Aggregation['pipeline'], database: Searched): Document[] {
  const [first] = pipeline;
  const collection = database.collections.get(name);
  if ('$listSearchIndexes' in first) return list(collection, first.$listSearchIndexes.name);
  const search = selectIndexed(collection, database);
  if ('$search' in first) return runTextPipeline(search.search, pipeline as z.output<typeof textPipeline>);
  const [, { $project }, more] = pipeline as [unknown, { $project: Projection }, z.output<typeof union>?];
  const near = vectorSearch(search.vectorSearch, first.$vectorSearch).map((each) =>
    toProjected(each, $project),
  );
  if (!more) return near;
  if (more.$unionWith.coll !== name) throw new Refused(2, 'BadValue', 'another collection is not known here');
  return [...near, ...runTextPipeline(search.search, more.$unionWith.pipeline)];
}

/** Returns what each kind of index contains. An index that has not caught up contains the first document only. */
function selectIndexed(
  collection: Collection | undefined,
  database: Searched,
): Record<SearchIndex['type'], Collection | undefined> {
  const isUnseen = database.unseen > 0;
  if (isUnseen) database.unseen -= 1;
  const first = collection && { ...collection, documents: new Map([...collection.documents].slice(0, 1)) };
  const select = (type: SearchIndex['type']) =>
    isUnseen && (database.behind ?? type) === type ? first : collection;
  return { search: select('search'), vectorSearch: select('vectorSearch') };
}

function runTextPipeline(
  collection: Collection | undefined,
  [{ $search }, { $limit }, { $project }]: z.output<typeof textPipeline>,
): Document[] {
  return textSearch(collection, $search)
    .slice(0, $limit)
    .map((each) => toProjected(each, $project));
}

/** Applies a projection, which includes `_id` unless it is 0. */
function toProjected(document: Document, project: Projection): Document {
  const entries = Object.entries({ _id: 1, ...project }).filter(([, how]) => how !== 0);
  return Object.fromEntries(
    entries.map(([name, how]) => [name, how === 1 ? document[name] : document.$score]),
  );
}

function list(collection: Collection | undefined, name: string | undefined): Document[] {
  const all = [...(collection?.searchIndexes.values() ?? [])];
  return all.filter((index) => name === undefined || index.name === name).map(describe);
}

function describe(index: SearchIndex): Document {
  const queryable = index.building === 0;
  if (!queryable) index.building -= 1;
  const { type, definition } = index;
  const status = queryable ? 'READY' : 'BUILDING';
  return {
    id: `id of ${index.name}`,
    name: index.name,
    type,
    status,
    queryable,
    latestDefinition: definition,
  };
}
