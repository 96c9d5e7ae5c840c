import type { z } from 'zod';
import type { Removal } from '#src/ports/shard.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { checkWritten, ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type {
  Description,
  FoundPoint,
  PointName,
  SearchScope,
  VectorPoint,
  VectorStore,
} from '#src/sinks/external/vector-store.ts';
import { createPineconeClient, type PineconeClient, type PineconeSettings } from './client.ts';
import {
  all,
  type Filter,
  hasDocumentId,
  hasVersionUpTo,
  is,
  isPlainKey,
  toPineconeFilter,
} from './filter.ts';
import { describeMismatch, describeMissingIndex, findIndexTarget, type IndexTarget } from './index-target.ts';
import { getBatchSize } from './insert-kwargs.ts';
import { buildMetadataChanges } from './metadata.ts';
import {
  buildRecordId,
  buildUpsertBodies,
  parseRecordId,
  parseRecordMetadata,
  toRecordValues,
} from './records.ts';
import { accepted, fetched, found, upserted } from './wire.ts';

/** Maximum number of record ids per fetch request to Pinecone. */
const FETCHED_AT_ONCE = 50;
/**
 * Maximum length in characters of the record ids in a fetch URL. Servers reject URLs of more than about 8,000
 * characters.
 */
const LONGEST_QUERY = 6_000;
const LIMITS = {
  ...{ points: 1_000, bytes: 1_500_000, lookedUp: FETCHED_AT_ONCE },
  // Time in seconds until a written record is visible to queries. Pinecone is eventually consistent.
  shownAfter: 60,
};

/** Stores the points of one index as records in a Pinecone namespace. */
export class PineconeStore implements VectorStore {
  readonly limits = LIMITS;
  readonly isFilterable: VectorStore['isFilterable'] = isPlainKey;
  readonly #settings: PineconeSettings;
  readonly #indexId: string;
  readonly #client: PineconeClient;
  /** Request parameter that names the Pinecone namespace. Empty for Pinecone's default namespace. */
  readonly #namespace: Record<string, string>;
  readonly #indexFilter: Filter;
  #finding: ReturnType<typeof findIndexTarget> | undefined;

  constructor(settings: PineconeSettings, deps: SinkDeps & { indexId: string }) {
    this.#settings = settings;
    this.#indexId = deps.indexId;
    this.#client = createPineconeClient(settings, deps);
    this.#namespace = settings.namespace ? { namespace: settings.namespace } : {};
    this.#indexFilter = is('sluice_index', deps.indexId);
  }

  async ensure(dimension: number): Promise<void> {
    const found = await ignoreNotFound(this.#findTarget());
    const problem = found
      ? describeMismatch(found.index, dimension)
      : describeMissingIndex(this.#settings.index_name, `${dimension} dimensions`);
    if (problem) throw new SinkError(`Pinecone: ${problem}`, { retryable: false });
  }

  async upsert(points: VectorPoint[]): Promise<void> {
    const { origin, isByLength } = await this.#getTarget();
    const most = getBatchSize(this.#settings.insert_kwargs);
    const how = { isByLength, namespace: this.#namespace, most };
    for (const { body, count } of buildUpsertBodies(this.#indexId, points, how)) {
      const { upsertedCount } = await this.#client.ask(origin, '/vectors/upsert', upserted, { body });
      checkWritten('Pinecone', upsertedCount, count);
    }
  }

  async describe({ documentId, title, metadata }: Description): Promise<void> {
    const { dimension } = await this.#getTarget();
    const filter = all(this.#indexFilter, hasDocumentId([documentId]));
    // Every record of a document has a copy of the document's metadata. Any query vector therefore finds a
    // record from which the metadata can be read.
    const vector = dimension && Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
    const one = vector
      ? await this.#post('/query', found, { topK: 1, vector, filter, includeMetadata: true })
      : { matches: [] };
    const setMetadata = buildMetadataChanges(title, metadata, one.matches[0]?.metadata ?? {});
    await this.#post('/vectors/update', accepted, { filter, setMetadata });
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const [version, documentIds] of groupByVersion(removals)) {
      await this.#removeWhere(hasDocumentId(documentIds), hasVersionUpTo(version));
    }
  }

  async query(
    given: Float32Array,
    topK: number,
    { documentIds, preFilter }: SearchScope = {},
  ): Promise<FoundPoint[]> {
    const target = await this.#getTarget();
    const vector = toRecordValues(given, target.isByLength);
    if (!vector) return [];
    const among = documentIds ? hasDocumentId(documentIds) : preFilter && toPineconeFilter(preFilter, target);
    const filter = all(this.#indexFilter, ...(among ? [among] : []));
    const { matches } = await this.#post('/query', found, { topK, vector, filter });
    const points = matches.flatMap((match) => {
      const where = match && parseRecordId(this.#indexId, match.id);
      return where ? [{ id: match.id, score: Math.max(-1, Math.min(1, match.score)), where }] : [];
    });
    const unsaid = points.filter(({ where }) => where === 'unsaid').map(({ id }) => id);
    const read = await this.#readLocations(unsaid);
    return points.flatMap(({ id, score, where }) => {
      const known = where === 'unsaid' ? read.get(id) : where;
      return known ? [{ ...known, score }] : [];
    });
  }

  async lookUp(points: PointName[]): Promise<Set<string>> {
    const ids = new Map(points.map((point) => [buildRecordId(this.#indexId, point), point.id]));
    const records = await ignoreNotFound(this.#fetchRecords([...ids.keys()]));
    return new Set(records?.flatMap(([id]) => ids.get(id) ?? []));
  }

  async drop(): Promise<void> {
    await this.#removeWhere();
  }

  /** Requests the description of the Pinecone index once and caches it. A failed request is not cached. */
  #findTarget(): ReturnType<typeof findIndexTarget> {
    this.#finding ??= findIndexTarget(this.#client).catch((error: unknown) => {
      this.#finding = undefined;
      throw error;
    });
    return this.#finding;
  }

  async #getTarget(): Promise<IndexTarget> {
    return (await this.#findTarget()).target;
  }

  async #post<T>(path: string, schema: z.ZodType<T>, body: object): Promise<T> {
    const { origin } = await this.#getTarget();
    return this.#client.ask(origin, path, schema, { body: JSON.stringify({ ...this.#namespace, ...body }) });
  }

  /**
   * Deletes the records of this index that match all of the filters. Succeeds if the Pinecone index or
   * namespace does not exist.
   */
  async #removeWhere(...filters: Filter[]): Promise<void> {
    const filter = all(this.#indexFilter, ...filters);
    await ignoreNotFound(this.#post('/vectors/delete', accepted, { filter }));
  }

  /**
   * Reads the location of each record's chunk from the metadata. This is needed for record ids that do not
   * encode the location.
   */
  async #readLocations(ids: string[]): Promise<Map<string, Omit<FoundPoint, 'score'>>> {
    const places = new Map<string, Omit<FoundPoint, 'score'>>();
    for (const [id, { metadata }] of await this.#fetchRecords(ids)) {
      const where = parseRecordMetadata(this.#indexId, metadata);
      if (where) places.set(id, where);
    }
    return places;
  }

  /**
   * Fetches the Pinecone records with these ids. Records that do not exist are left out. Several requests are
   * sent if the ids do not fit into one URL.
   */
  async #fetchRecords(ids: string[]): Promise<[string, { metadata?: unknown }][]> {
    if (ids.length === 0) return [];
    const { origin } = await this.#getTarget();
    const records: [string, { metadata?: unknown }][] = [];
    for (const query of fetchQueries(ids, this.#namespace)) {
      const { vectors } = await this.#client.ask(origin, '/vectors/fetch', fetched, { query });
      records.push(...Object.entries(vectors));
    }
    return records;
  }
}

/** Yields query strings for the fetch endpoint, each with as many ids as fit into one URL. */
function* fetchQueries(ids: string[], namespace: Record<string, string>): Generator<string> {
  let query = new URLSearchParams(namespace);
  let count = 0;
  for (const id of ids) {
    const length = query.toString().length + encodeURIComponent(id).length;
    if (count === FETCHED_AT_ONCE || (count > 0 && length > LONGEST_QUERY)) {
      yield query.toString();
      [query, count] = [new URLSearchParams(namespace), 0];
    }
    query.append('ids', id);
    count += 1;
  }
  yield query.toString();
}
