import { BadRequest, Conflict, DomainError, Upstream } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { IndexedChunk, IndexedDocument, SinkAnswer, SinkQuery } from '#src/ports/index-types.ts';
import type { SinkStore, WholeDocument } from '#src/ports/sink.ts';
import { mergeArm } from '#src/search/fusion.ts';
import { countWords } from '#src/search/term-weights.ts';
import { rejectDuplicatePositions } from '#src/sinks/external/points.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { analyseWithTitle, readQueryText } from './lexical.ts';
import type {
  NewVersion,
  PublishResult,
  SearchChunk,
  SearchRequest,
  SearchResult,
  SearchStore,
} from './search-store.ts';

interface Parts {
  store: SearchStore;
  deps: Pick<IndexDeps, 'indexId' | 'directory'>;
}

/** Number of documents that one transaction removes. */
const REMOVALS_AT_ONCE = 200;

/**
 * Opens an index whose whole search is in an external store. Sluice analyses the words, so that results are the
 * same as in the managed index, and the store does the rest. If the store fails, there is no other index that
 * could answer, so every error is passed on.
 */
export function nativeSink(parts: Parts): SinkStore {
  const { store, deps } = parts;
  return {
    async ensure(dimension) {
      if (dimension === 0) throw new BadRequest('Vectors must have at least one dimension.');
      await store.ensure(dimension);
    },
    async stage(document, chunks) {
      rejectDuplicatePositions({ document, chunks });
      await deps.directory.assign([document.documentId]);
      await store.stage(document, await toSearchChunks(deps.indexId, document, chunks));
    },
    async publish(document, lastChunks, chunkCount) {
      const [result] = await publish(parts, [{ document, chunks: lastChunks, chunkCount }]);
      return toOutcome(document, result!);
    },
    publishMany: (documents) => publishMany(parts, documents),
    describe: (document) =>
      store.describe(document, (chunk, keywords) => analyseWithTitle(chunk, document.title, keywords)),
    async remove(documentIds, version) {
      const unique = [...new Set(documentIds)];
      for (let from = 0; from < unique.length; from += REMOVALS_AT_ONCE) {
        const some = unique.slice(from, from + REMOVALS_AT_ONCE);
        await store.remove(some.map((documentId) => ({ documentId, version })));
      }
    },
    query: (query) => search(parts, query),
    listChunks: (documentId, page) => store.listChunks(documentId, page),
    chunk: (id) => store.chunk(id),
    stats: () => store.stats(),
    compare: () => compare(parts),
    // The store has the only copy of the texts. Lost documents are indexed again from their files.
    restore: async () => 0,
    catchUp: () => store.tidy(),
    drop: () => store.drop(),
  };
}

type GivenVersion = Omit<NewVersion, 'chunks'> & { chunks: IndexedChunk[] };

async function publish({ store, deps }: Parts, versions: GivenVersion[]): Promise<PublishResult[]> {
  for (const version of versions) rejectDuplicatePositions(version);
  await deps.directory.assign(versions.map(({ document }) => document.documentId));
  const prepared = versions.map(async (version) => ({
    ...version,
    chunks: await toSearchChunks(deps.indexId, version.document, version.chunks),
  }));
  return store.publish(await Promise.all(prepared));
}

/** Publishes versions in one transaction, or one by one if the store permanently rejects one of them. */
async function publishMany(
  parts: Parts,
  documents: WholeDocument[],
): Promise<PromiseSettledResult<boolean>[]> {
  const versions = documents.map(({ document, chunks }) => ({ document, chunks, chunkCount: chunks.length }));
  const publishAll = async (some: GivenVersion[]) => {
    const results = await publish(parts, some);
    return Promise.allSettled(some.map(async ({ document }, at) => toOutcome(document, results[at]!)));
  };
  const isUnique = new Set(versions.map(({ document }) => document.documentId)).size === versions.length;
  try {
    if (isUnique) return await publishAll(versions);
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
  }
  // Two versions of one document must be published one after the other.
  const outcomes: PromiseSettledResult<boolean>[] = [];
  for (const version of versions) {
    const [published] = await Promise.allSettled([publishAll([version])]);
    outcomes.push(...(published.status === 'fulfilled' ? published.value : [published]));
  }
  return outcomes;
}

function toOutcome({ documentId }: IndexedDocument, result: PublishResult): boolean {
  if (result !== 'incomplete') return result === 'published';
  // Another attempt stages all chunks again.
  throw new Conflict(`Chunks of the document ${documentId} are missing, so it cannot be published.`, {
    retryable: true,
  });
}

function toSearchChunks(
  indexId: string,
  { documentId, version, title, keywords }: IndexedDocument,
  chunks: IndexedChunk[],
): Promise<SearchChunk[]> {
  return Promise.all(
    chunks.map(async (chunk) => ({
      ...chunk,
      rowId: await derivedId('point', indexId, documentId, version, chunk.position),
      analysed: analyseWithTitle(chunk, title, keywords),
    })),
  );
}

async function search(parts: Parts, query: SinkQuery): Promise<SinkAnswer> {
  const { vector, text, denseTopK, sparseTopK, filters, disabled, chunkMetadata } = query;
  const request: SearchRequest = {
    ...(vector && denseTopK > 0 && { dense: { vector, topK: denseTopK } }),
    ...(text !== undefined && sparseTopK > 0 && { sparse: readQueryText(text, sparseTopK) }),
    ...(filters && { filters }),
    ...(disabled && { disabled }),
    ...(chunkMetadata && { chunkMetadata }),
  };
  if (!request.dense && !request.sparse) return { dense: [], sparse: [], chunks: [], timings: {} };
  const start = performance.now();
  const { statistics, ...found } = await searchStore(parts, request);
  return {
    dense: mergeArm([found.dense], denseTopK),
    sparse: mergeArm([found.sparse], sparseTopK),
    chunks: found.chunks,
    timings: { store: (performance.now() - start) / 1000 },
    ...(statistics && text !== undefined && { wordCounts: countWords(text, statistics) }),
  };
}

/** Asks the store. Before the first document is written, the store may lack the place for the index. */
async function searchStore({ store, deps }: Parts, request: SearchRequest): Promise<SearchResult> {
  try {
    return await store.search(request);
  } catch (error) {
    if (!(error instanceof Upstream) || error.status !== 404) throw error;
    if ((await deps.directory.sampleIndexed()).length > 0) throw error;
    return { dense: [], sparse: [], chunks: [] };
  }
}

/**
 * Compares a sample of the documents that were indexed with those that the store has. A document that the
 * store knows as removed, or has in a newer version, is not missing.
 */
async function compare({ store, deps }: Parts): ReturnType<SinkStore['compare']> {
  const sample = await deps.directory.sampleIndexed();
  if (sample.length === 0) return { expected: 0, missing: 0 };
  const stored = new Map(
    (await store.findVersions(sample.map(({ documentId }) => documentId))).map((each) => [
      each.documentId,
      each,
    ]),
  );
  let [expected, missing] = [0, 0];
  for (const { documentId, version, chunks } of sample) {
    const found = stored.get(documentId);
    expected += chunks;
    if (found && (found.removed >= version || (found.version ?? -1) > version)) continue;
    missing += found?.version === version ? Math.max(0, chunks - found.chunks) : chunks;
  }
  return { expected, missing };
}
