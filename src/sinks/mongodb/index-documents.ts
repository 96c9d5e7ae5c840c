import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb';
import type { z } from 'zod';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { createMongoConnection, type MongoConnection, type MongoSettings } from './connection.ts';
import { createError } from './failure.ts';
import type { SearchIndexes } from './index-layout.ts';
import { ensureIndexes } from './search-indexes.ts';

/** Limits per batch, far below MongoDB's limits of 48 MB per message and 16 MB per document. */
export const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/** Share of the store's time limit that may be spent waiting until an index can be searched. */
const BUILD_TIME_SHARE = 0.5;

export interface Stored {
  _id: string;
  [field: string]: unknown;
}

/** Documents of one index of Sluice in a MongoDB collection, which several indexes may share. */
export class IndexDocuments {
  readonly names: SearchIndexes;
  /** Filter that selects the documents of this index. */
  readonly filter: { sluice_index: string };
  readonly #settings: MongoSettings;
  readonly #connection: MongoConnection;
  readonly #buildSeconds: number;
  #ensured: number | undefined;

  constructor(settings: MongoSettings, deps: SinkDeps & { indexId: string }, names: SearchIndexes) {
    this.names = names;
    this.filter = { sluice_index: deps.indexId };
    this.#settings = settings;
    this.#connection = createMongoConnection(settings, deps);
    this.#buildSeconds = BUILD_TIME_SHARE * deps.settings.SILENCE_SECONDS;
  }

  get collectionName(): string {
    return this.#settings.collection_name;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    const { embedding_dimension: declared } = this.#settings;
    if (declared && declared !== dimension) {
      throw createError(
        `embedding_dimension is ${declared}, but the embedding model returns ${dimension} dimensions. Change embedding_dimension or embedding_config.`,
      );
    }
    await this.#connection.run('the creation of its indexes', (db) =>
      ensureIndexes(db, this.collectionName, this.names, dimension, this.#buildSeconds),
    );
    this.#ensured = dimension;
  }

  run<T>(what: string, work: (collection: Collection<Stored>) => Promise<T>): Promise<T> {
    return this.#connection.run(what, (db) => work(db.collection<Stored>(this.collectionName)));
  }

  async write(what: string, operations: AnyBulkWriteOperation<Stored>[]): Promise<void> {
    await this.run(what, (collection) => collection.bulkWrite(operations, { ordered: false }));
  }

  /** Runs a pipeline with at most `most` results. Leaves out results that do not have the schema. */
  search<T>(pipeline: Document[], most: number, schema: z.ZodType<T>): Promise<T[]> {
    return this.run('a search', async (collection) => {
      const results: T[] = [];
      let read = 0;
      // The batch size exceeds the number of results, so that one response contains all of them.
      for await (const each of collection.aggregate(pipeline, { batchSize: most + 1 })) {
        const { data } = schema.safeParse(each);
        if (data !== undefined) results.push(data);
        read += 1;
        if (read === most) break;
      }
      return results;
    });
  }

  lookUp(ids: string[]): Promise<Set<string>> {
    const filter = { ...this.filter, _id: { $in: ids } };
    return this.run('a lookup of points', async (collection) => {
      const options = { projection: { _id: 1 }, batchSize: ids.length + 1 };
      const existing = await collection.find(filter, options).toArray();
      return new Set(existing.map(({ _id }) => _id));
    });
  }

  async remove(removals: Removal[]): Promise<void> {
    const operations = [...groupByVersion(removals)].map(([version, documentIds]) => {
      const filter = { ...this.filter, document_id: { $in: documentIds }, version: { $lte: version } };
      return { deleteMany: { filter } };
    });
    if (operations.length > 0) await this.write('a delete', operations);
  }

  async drop(): Promise<void> {
    await this.write('a delete', [{ deleteMany: { filter: this.filter } }]);
  }
}
