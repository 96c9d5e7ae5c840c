import { byVersion } from '#src/sinks/external/removals.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { FoundPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { type SinkDeps, SinkError } from '#src/sinks/sink.ts';
import { type PineconeSettings, pineconeClient } from './client.ts';
import { all, type Filter, filterOf, is, isPlainKey, ofDocuments, upTo } from './filter.ts';
import { batchSizeOf } from './insert-kwargs.ts';
import { changesOf } from './metadata.ts';
import { absent, findPlace, unfit } from './place.ts';
import { bodiesOf, valuesOf, whereIn, whereOf } from './records.ts';
import { fetched, found, taken } from './wire.ts';

const LIMITS = { points: 1_000, bytes: 1_500_000 };
/** Ids of one GET, each up to 80 characters. */
const FETCHED_AT_ONCE = 50;

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
    const { origin } = await placed();
    for (let from = 0; from < ids.length; from += FETCHED_AT_ONCE) {
      const query = new URLSearchParams(namespace);
      for (const id of ids.slice(from, from + FETCHED_AT_ONCE)) query.append('ids', id);
      const { vectors } = await client.ask(origin, '/vectors/fetch', fetched, { query: query.toString() });
      for (const [id, { metadata }] of Object.entries(vectors)) {
        const where = whereIn(indexId, metadata);
        if (where) points.set(id, where);
      }
    }
    return points;
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
      for (const body of bodiesOf(indexId, points, { isByLength, namespace, most })) {
        await client.ask(origin, '/vectors/upsert', taken, { body });
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
    drop: () => removeWhere(),
  };
}
