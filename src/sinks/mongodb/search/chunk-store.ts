import type { Document } from 'mongodb';
import { z } from 'zod';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { hasDirection, toCosine } from '#src/sinks/external/vectors.ts';
import { getIndexNames, type MongoSettings } from '#src/sinks/mongodb/connection.ts';
import { IndexDocuments, LIMITS } from '#src/sinks/mongodb/index-documents.ts';
import { ROW } from '#src/sinks/mongodb/index-layout.ts';
import { buildVectorStage } from '#src/sinks/mongodb/vector-stage.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkSearchResult,
  ChunkStore,
  NewRecord,
  RecordChange,
} from '#src/sinks/native/ledger/chunk-store.ts';
import { encodedRecord } from '#src/sinks/native/record-json.ts';
import { waitUntilShown } from '#src/sinks/native/wait-until-shown.ts';
import { toChangedFields, toChunkDocument } from './chunk-document.ts';
import { equals, isAmong, isFilterable, toMatch } from './filter.ts';
import { buildWordQuery } from './word-query.ts';

/** Largest number of results that are requested for each arm, because an answer contains their texts. */
const LARGEST_PAGE = 1_000;
/** Maximum number of chunks with one node id. Different versions of a document may have it. */
const FOUND_BY_ID = 100;

/** Score by which an arm found a document. The other arm's score is absent. */
const scores = { dense: z.number().optional(), sparse: z.number().optional() };
const foundChunk = z.object({ record: encodedRecord, ...scores });
const shownRow = z.object({ _id: z.string(), ...scores });
const listedChunk = z.object({ record: encodedRecord });

/** One arm of a search. `stages` end with the score of the arm. */
interface Arm {
  topK: number;
  stages: Document[];
}

/** Stores whole chunks as documents of a MongoDB collection, and searches them by two search indexes. */
export class MongoChunkStore implements ChunkStore {
  readonly limits = { ...LIMITS, largestPage: LARGEST_PAGE };
  readonly isFilterable = isFilterable;
  readonly #deps: SinkDeps & { indexId: string };
  readonly #documents: IndexDocuments;
  /** Name of the full-text index. */
  readonly #textIndex: string;

  constructor(settings: MongoSettings, deps: SinkDeps & { indexId: string }) {
    const names = getIndexNames({ ...settings, native_search: true });
    this.#deps = deps;
    this.#documents = new IndexDocuments(settings, deps, names);
    this.#textIndex = names.text!;
  }

  ensure(dimension: number): Promise<void> {
    return this.#documents.ensure(dimension);
  }

  async write(records: NewRecord[]): Promise<void> {
    const operations = records.map(async (record) => ({
      replaceOne: {
        filter: { _id: record.rowId },
        replacement: await toChunkDocument(this.#deps.indexId, record),
        upsert: true,
      },
    }));
    await this.#documents.write('a write', await Promise.all(operations));
    await waitUntilShown(() => this.#areShown(records), this.#deps);
  }

  async update(changes: RecordChange[]): Promise<void> {
    const operations = changes.map((change) => ({
      updateOne: {
        filter: { ...this.#documents.filter, _id: change.rowId },
        update: { $set: toChangedFields(change) },
      },
    }));
    await this.#documents.write('an update', operations);
  }

  lookUp(rowIds: string[]): Promise<Set<string>> {
    return this.#documents.lookUp(rowIds);
  }

  remove(removals: Removal[]): Promise<void> {
    return this.#documents.remove(removals);
  }

  async search({ dense, sparse, preFilter }: ChunkSearch): Promise<ChunkSearchResult> {
    const { filter } = this.#documents;
    const shown = { _id: 0, record: 1 };
    const match = preFilter ? { $and: [filter, toMatch(preFilter)] } : filter;
    const query = sparse && buildWordQuery(sparse.weights, this.#deps.indexId, preFilter);
    const found = await this.#run(foundChunk, {
      near: dense && (await this.#toVectorArm({ ...dense, filter: match }, shown)),
      worded: query && this.#toWordArm(query, sparse!.topK, shown),
    });
    const results = found.map(({ record, ...each }) => ({ ...record, ...each }));
    return {
      dense: results.flatMap(({ dense: score, sparse: _, ...record }) =>
        score === undefined ? [] : [{ ...record, score: toCosine(score) }],
      ),
      sparse: results.flatMap(({ sparse: score, dense: _, ...record }) =>
        score === undefined ? [] : [{ ...record, score }],
      ),
    };
  }

  list({ documentId, version, from, limit }: Parameters<ChunkStore['list']>[0]): Promise<ChunkRecord[]> {
    const filter = { document_id: documentId, version, position: { $gte: from } };
    return this.#read(filter, { sort: { position: 1 }, limit });
  }

  async find(nodeId: string): Promise<ChunkRecord[]> {
    const records = await this.#read({ node_id: nodeId }, { limit: FOUND_BY_ID });
    return records.filter(({ chunk }) => chunk.id === nodeId);
  }

  drop(): Promise<void> {
    return this.#documents.drop();
  }

  #read(filter: Document, page: { sort?: { position: 1 }; limit: number }): Promise<ChunkRecord[]> {
    return this.#documents.run('a list of chunks', async (collection) => {
      const options = { ...page, projection: { _id: 0, record: 1 }, batchSize: page.limit + 1 };
      const found = await collection.find({ ...this.#documents.filter, ...filter }, options).toArray();
      return found.flatMap((each) => listedChunk.safeParse(each).data?.record ?? []);
    });
  }

  /** Returns `undefined` for a vector without direction, which is similar to no other vector. */
  async #toVectorArm(
    { filter, topK, vector }: { vector: Float32Array; topK: number; filter: Document },
    shown: Document,
  ): Promise<Arm | undefined> {
    if (!hasDirection(vector)) return undefined;
    const index = this.#documents.names.vector;
    const stage = await buildVectorStage({ index, vector, topK, filter });
    return { topK, stages: [stage, { $project: { ...shown, dense: { $meta: 'vectorSearchScore' } } }] };
  }

  #toWordArm(compound: object, topK: number, shown: Document): Arm {
    const score = { $project: { ...shown, sparse: { $meta: 'searchScore' } } };
    return { topK, stages: [{ $search: { index: this.#textIndex, compound } }, { $limit: topK }, score] };
  }

  /**
   * Runs both arms in one request. `$vectorSearch` comes first, because only MongoDB 8.0 and newer accept it in
   * `$unionWith`. The results of each arm are ordered from highest to lowest score.
   */
  async #run<T>(
    schema: z.ZodType<T>,
    { near, worded }: { near: Arm | undefined; worded: Arm | undefined },
  ): Promise<T[]> {
    const [first, second] = [near, worded].filter((arm) => arm !== undefined);
    if (!first) return [];
    const union = second && {
      $unionWith: { coll: this.#documents.collectionName, pipeline: second.stages },
    };
    const pipeline = [...first.stages, ...(union ? [union] : [])];
    return this.#documents.search(pipeline, first.topK + (second?.topK ?? 0), schema);
  }

  /** Returns whether both search indexes have the given records. Indexes follow the collection after a moment. */
  async #areShown(records: NewRecord[]): Promise<boolean> {
    const { filter } = this.#documents;
    const rowIds = records.map(({ rowId }) => rowId);
    const topK = rowIds.length;
    const withVector = records.filter(({ vector }) => hasDirection(vector));
    const match = { ...filter, [ROW]: { $in: rowIds } };
    const rows = { filter: [equals('sluice_index', filter.sluice_index), isAmong(ROW, rowIds)] };
    const found = await this.#run(shownRow, {
      near:
        withVector[0] && (await this.#toVectorArm({ vector: withVector[0].vector, topK, filter: match }, {})),
      worded: this.#toWordArm(rows, topK, {}),
    });
    const near = new Set(found.flatMap(({ _id, dense }) => (dense === undefined ? [] : [_id])));
    const worded = new Set(found.flatMap(({ _id, sparse }) => (sparse === undefined ? [] : [_id])));
    return rowIds.every((id) => worded.has(id)) && withVector.every(({ rowId }) => near.has(rowId));
  }
}
