import { TooLarge } from '#src/lib/errors.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { ChunkRecord, ChunkStore } from './chunk-store.ts';
import type { LedgerParts } from './ledger-write.ts';

const LISTED_AT_ONCE = 500;
/** Maximum number of chunks that are read without paging. Their texts are in memory together. */
const MOST_CHUNKS = 10_000;
/** How often a list is read again, if the document gets another version meanwhile. */
const ATTEMPTS = 4;

interface VersionPart {
  documentId: string;
  version: number;
  /** Position of the first chunk. */
  from?: number;
  /** Maximum number of chunks. */
  limit: number;
}

/** Reads chunks of one version by position, in several pages. Reads none if the place in the store is missing. */
export async function* readPages(
  store: ChunkStore,
  { from = 0, limit, ...version }: VersionPart,
): AsyncGenerator<ChunkRecord[]> {
  let next = from;
  for (let read = 0; read < limit; ) {
    const size = Math.min(LISTED_AT_ONCE, limit - read);
    const page = (await ignoreNotFound(store.list({ ...version, from: next, limit: size }))) ?? [];
    yield page;
    if (page.length < size) return;
    read += page.length;
    next = page.at(-1)!.chunk.position + 1;
  }
}

/** Returns chunks of the visible version by position. Without `page`, returns all of them. */
export async function listVisibleChunks(
  { store, ledger }: LedgerParts,
  documentId: string,
  page?: { from: number; limit: number },
): Promise<StoredChunk[]> {
  const findVersion = async () => (await ledger.find([documentId])).get(documentId)?.version ?? null;
  let version = await findVersion();
  for (let attempt = 1; version !== null; attempt += 1) {
    const part = { documentId, version, ...(page ?? { limit: MOST_CHUNKS + 1 }) };
    const records: ChunkRecord[] = [];
    for await (const some of readPages(store, part)) records.push(...some);
    const after = await findVersion();
    // Chunks of a version that was replaced in the meantime may be missing.
    if (after === version || attempt === ATTEMPTS) {
      if (!page && records.length > MOST_CHUNKS)
        throw new TooLarge(`Document ${documentId} has more than ${MOST_CHUNKS} chunks. Read them in pages.`);
      return after === version ? records.map(({ chunk }) => chunk) : [];
    }
    version = after;
  }
  return [];
}

/** Returns the chunk with this node id, if its version is visible. */
export async function findVisibleChunk(
  { store, ledger }: LedgerParts,
  nodeId: string,
): Promise<StoredChunk | undefined> {
  const records = (await ignoreNotFound(store.find(nodeId))) ?? [];
  if (records.length === 0) return undefined;
  const entries = await ledger.find([...new Set(records.map(({ chunk }) => chunk.documentId))]);
  return records.find(({ version, chunk }) => entries.get(chunk.documentId)?.version === version)?.chunk;
}
