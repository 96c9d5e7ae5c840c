import { TooLarge } from '#src/lib/errors.ts';
import type { IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { SinkDeps, SinkStats } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { Description } from '#src/sinks/external/vector-store.ts';
import type {
  AnalyseStored,
  NewVersion,
  PublishResult,
  SearchChunk,
  SearchRequest,
  SearchResult,
  SearchStore,
  StoredVersion,
} from '#src/sinks/native/search-store.ts';
import {
  createDatabase,
  type OpenDatabase,
  type Row,
  type RunStatement,
} from '#src/sinks/pgvector/database.ts';
import { type HnswPlan, planHnsw } from '#src/sinks/pgvector/hnsw.ts';
import type { PgvectorSettings } from '#src/sinks/pgvector/settings.ts';
import { countCandidates, searchChunks } from './query.ts';
import { buildChunkSelection, parseChunk } from './rows.ts';
import { setUpSearch } from './search-setup.ts';
import { decodeText, encodeText } from './storable.ts';
import { getTables, SEARCH_TABLE_NAMES, type SearchTable } from './tables.ts';
import { createTermHash } from './term-hash.ts';
import { describeDocument, type Place, publishVersions, removeDocuments, stageChunks } from './write.ts';

const DELETED_AT_ONCE = 5_000;
const TERMS_AT_ONCE = 50_000;
/** Maximum number of chunks that are read without paging. Their texts are in memory together. */
const MOST_CHUNKS = 10_000;

/** Keeps a whole index in four tables of PostgreSQL, which several indexes may share. */
export class PgvectorSearch implements SearchStore {
  readonly #settings: PgvectorSettings;
  readonly #place: Place;
  readonly #openDatabase: OpenDatabase;
  readonly #plan: HnswPlan | undefined;
  #ensured: number | undefined;

  constructor(settings: PgvectorSettings, deps: SinkDeps & { indexId: string }) {
    const { indexId } = deps;
    this.#settings = settings;
    this.#place = { indexId, tables: getTables(settings), hash: createTermHash(indexId) };
    this.#openDatabase = createDatabase(settings, deps);
    const plan = planHnsw(settings);
    this.#plan = plan && 'problem' in plan ? undefined : plan;
  }

  async ensure(dimension: number): Promise<void> {
    if (this.#ensured === dimension) return;
    await setUpSearch(this.#openDatabase, this.#settings, dimension);
    this.#ensured = dimension;
  }

  stage(document: IndexedDocument, chunks: SearchChunk[]): Promise<void> {
    return this.#run((ask) => stageChunks(ask, this.#place, document, chunks));
  }

  publish(versions: NewVersion[]): Promise<PublishResult[]> {
    return this.#run((ask) => publishVersions(ask, this.#place, versions));
  }

  describe(document: Description, analyse: AnalyseStored): Promise<void> {
    return this.#run((ask) => describeDocument(ask, this.#place, document, analyse));
  }

  async remove(removals: Removal[]): Promise<void> {
    const remove = () => this.#run((ask) => removeDocuments(ask, this.#place, removals));
    const done = await ignoreNotFound(remove().then(() => true));
    if (done) return;
    // The tombstone must be recorded even if nothing was written yet, because running work may be about to.
    await this.ensure(this.#settings.embed_dim);
    await remove();
  }

  search(request: SearchRequest): Promise<SearchResult> {
    const { dense } = request;
    const candidates = dense && this.#plan ? countCandidates(dense.topK, this.#plan) : 1;
    const database = this.#openDatabase(Math.max(this.#plan?.efSearch ?? 1, candidates));
    return database.run((ask) => searchChunks(ask, this.#place, this.#plan, request), { isSnapshot: true });
  }

  async listChunks(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]> {
    const { from, limit } = page ?? { from: 0, limit: MOST_CHUNKS + 1 };
    const where = 'c.document_id = $2 and c.position >= $3::int order by c.position limit $4::int';
    const chunks = await this.#readChunks(where, [encodeText(documentId), from, limit]);
    if (!page && chunks.length > MOST_CHUNKS)
      throw new TooLarge(`Document ${documentId} has more than ${MOST_CHUNKS} chunks. Read them in pages.`);
    return chunks;
  }

  async chunk(id: string): Promise<StoredChunk | undefined> {
    return (await this.#readChunks('c.node_id = $2 limit 1', [encodeText(id)]))[0];
  }

  async stats(): Promise<SinkStats> {
    const { documents, languages } = this.#place.tables;
    const rows = await ignoreNotFound(
      this.#ask(
        `select (select count(*) from ${documents} where sluice_index = $1 and version is not null)::float8 as documents,
        coalesce(sum(chunks), 0)::float8 as chunks, coalesce(sum(bytes), 0)::float8 as bytes
      from ${languages} where sluice_index = $1`,
      ),
    );
    const { documents: found = 0, chunks = 0, bytes = 0 } = rows?.[0] ?? {};
    return { documents: Number(found), chunks: Number(chunks), bytes: Number(bytes) };
  }

  async findVersions(documentIds: string[]): Promise<StoredVersion[]> {
    const { documents, chunks } = this.#place.tables;
    const rows = await ignoreNotFound(
      this.#ask(
        `select d.document_id, d.version::float8 as version, d.removed::float8 as removed,
          (select count(*) from ${chunks} c where c.sluice_index = d.sluice_index
            and c.document_id = d.document_id and c.version = d.version)::float8 as chunks
        from ${documents} d where d.sluice_index = $1
          and d.document_id in (select json_array_elements_text($2::text::json))`,
        [JSON.stringify(documentIds.map(encodeText))],
      ),
    );
    return (rows ?? []).map((row) => ({
      documentId: decodeText(String(row.document_id)),
      version: row.version === null ? null : Number(row.version),
      removed: Number(row.removed),
      chunks: Number(row.chunks),
    }));
  }

  async tidy(): Promise<void> {
    const { terms } = this.#place.tables;
    // Rows are locked in the order in which publishing locks them, and those in use are left for the next time.
    const unused = `select term from ${terms} where sluice_index = $1 and chunks <= 0
      order by term limit ${TERMS_AT_ONCE} for update skip locked`;
    await ignoreNotFound(this.#ask(`delete from ${terms} where sluice_index = $1 and term in (${unused})`));
  }

  async drop(): Promise<void> {
    for (const table of SEARCH_TABLE_NAMES) await ignoreNotFound(this.#empty(table));
  }

  async #empty(table: SearchTable): Promise<void> {
    const name = this.#place.tables[table];
    // The outer condition is needed, because rows of two partitions may have the same `ctid`.
    const statement = `delete from ${name} where sluice_index = $1 and ctid = any (array(select ctid from ${name}
      where sluice_index = $1 limit ${DELETED_AT_ONCE})) returning 1`;
    for (;;) {
      if ((await this.#ask(statement)).length === 0) return;
    }
  }

  async #readChunks(where: string, values: (string | number)[]): Promise<StoredChunk[]> {
    const { chunks, documents } = this.#place.tables;
    const rows = await ignoreNotFound(
      this.#ask(
        `select ${buildChunkSelection(chunks)} from ${chunks} c join ${documents} d
          on d.sluice_index = c.sluice_index and d.document_id = c.document_id and d.version = c.version
        where c.sluice_index = $1 and ${where}`,
        values,
      ),
    );
    return (rows ?? []).map(parseChunk);
  }

  #ask(statement: string, values: (string | number)[] = []): Promise<Row[]> {
    return this.#run((ask) => ask(statement, [this.#place.indexId, ...values]));
  }

  /** Runs statements in one transaction. */
  #run<T>(work: (ask: RunStatement) => Promise<T>): Promise<T> {
    return this.#openDatabase().run(work);
  }
}
