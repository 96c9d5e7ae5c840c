import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { checkWritten, unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { FoundPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { type PineconeSettings, pineconeClient } from './client.ts';
import { all, type Filter, filterOf, is, isPlainKey, ofDocuments, upTo } from './filter.ts';
import { batchSizeOf } from './insert-kwargs.ts';
import { changesOf } from './metadata.ts';
import { absent, findPlace, unfit } from './place.ts';
import { bodiesOf, recordId, valuesOf, whereIn, whereOf } from './records.ts';
import { fetched, found, taken, upserted } from './wire.ts';

/** Ids of one GET. */
const FETCHED_AT_ONCE = 50;
/** Characters of the ids in the address of one GET: servers refuse addresses of more than about 8,000. */
const LONGEST_QUERY = 6_000;
const LIMITS = {
  ...{ points: 1_000, bytes: 1_500_000, lookedUp: FETCHED_AT_ONCE },
  // The vendor shows a record some seconds after it was written.
  shownAfter: 60,
};

/** The points of an index among the records of a namespace. */
export function pineconeStore(settings: PineconeSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const client = pineconeClient(settings, deps);
  const { indexId } = deps;
  const namespace: Record<string, string> = settings.namespace ? { namespace: settings.namespace } : {};
  const ofIndex = is('sluice_index', indexId);

  let finding: ReturnType<typeof findPlace> | undefined;
  const find = () => {
    finding ??= findPlace(client).catch((error: unknown) => {
      finding = undefined;
      throw error;
    });
    return finding;
  };
  const placed = async () => (await find()).place;

  const post = async <T>(
    path: string,
    schema: Parameters<typeof client.ask<T>>[2],
    body: object,
  ): Promise<T> => {
    const { origin } = await placed();
    return client.ask(origin, path, schema, { body: JSON.stringify({ ...namespace, ...body }) });
  };
  const removeWhere = async (...filters: Filter[]): Promise<void> => {
    // An index or a namespace that is not there (yet, or any more) holds nothing to delete.
    await unlessAbsent(post('/vectors/delete', taken, { filter: all(ofIndex, ...filters) }));
  };

  /** The points of ids that do not tell what they are of. */
  const lookedUp = async (ids: string[]): Promise<Map<string, Omit<FoundPoint, 'score'>>> => {
    const points = new Map<string, Omit<FoundPoint, 'score'>>();
    for (const [id, { metadata }] of await fetchRecords(ids)) {
      const where = whereIn(indexId, metadata);
      if (where) points.set(id, where);
    }
    return points;
  };

  /** Reads the records that exist among these ids. Each call asks for as many ids as fit into an address. */
  const fetchRecords = async (ids: string[]): Promise<[string, { metadata?: unknown }][]> => {
    if (ids.length === 0) return [];
    const { origin } = await placed();
    const records: [string, { metadata?: unknown }][] = [];
    for (const query of fetchQueries(ids, namespace)) {
      const { vectors } = await client.ask(origin, '/vectors/fetch', fetched, { query });
      records.push(...Object.entries(vectors));
    }
    return records;
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      const there = await unlessAbsent(find());
      const problem = there ? unfit(there.there, dimension) : absent(settings.index_name, dimension);
      if (problem) throw new SinkError(`The data sink (VENDOR_E): ${problem}`, { retryable: false });
    },
    async upsert(points) {
      const { origin, isByLength } = await placed();
      const most = batchSizeOf(settings.insert_kwargs);
      for (const { body, count } of bodiesOf(indexId, points, { isByLength, namespace, most })) {
        const { upsertedCount } = await client.ask(origin, '/vectors/upsert', upserted, { body });
        checkWritten('VENDOR_E', upsertedCount, count);
      }
    },
    async describe({ documentId, title, metadata }) {
      const { dimension } = await placed();
      const filter = all(ofIndex, ofDocuments([documentId]));
      // Any vector: what is asked for is one record of the document, whichever it is.
      const vector = dimension && Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
      const one = vector
        ? await post('/query', found, { topK: 1, vector, filter, includeMetadata: true })
        : { matches: [] };
      const setMetadata = changesOf(title, metadata, one.matches[0]?.metadata ?? {});
      await post('/vectors/update', taken, { filter, setMetadata });
    },
    async remove(removals) {
      for (const [version, documentIds] of byVersion(removals)) {
        await removeWhere(ofDocuments(documentIds), upTo(version));
      }
    },
    isFilterable: isPlainKey,
    async query(given, topK, { documentIds, narrowing } = {}) {
      const place = await placed();
      const vector = valuesOf(given, place.isByLength);
      if (!vector) return [];
      const among = documentIds ? ofDocuments(documentIds) : narrowing && filterOf(narrowing, place);
      const filter = all(ofIndex, ...(among ? [among] : []));
      const { matches } = await post('/query', found, { topK, vector, filter });
      const points = matches.flatMap((match) => {
        const where = match && whereOf(indexId, match.id);
        return where ? [{ id: match.id, score: Math.max(-1, Math.min(1, match.score)), where }] : [];
      });
      const unsaid = points.filter(({ where }) => where === 'unsaid').map(({ id }) => id);
      const told = await lookedUp(unsaid);
      return points.flatMap(({ id, score, where }) => {
        const known = where === 'unsaid' ? told.get(id) : where;
        return known ? [{ ...known, score }] : [];
      });
    },
    async lookUp(points) {
      const ids = new Map(points.map((point) => [recordId(indexId, point), point.id]));
      const records = await unlessAbsent(fetchRecords([...ids.keys()]));
      return new Set(records?.flatMap(([id]) => ids.get(id) ?? []));
    },
    drop: () => removeWhere(),
  };
}

/** Queries that fetch records, each with as many ids as one address takes. */
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
