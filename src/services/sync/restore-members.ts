import { embeddedText, type IngestJob } from '#src/ingest/index.ts';
import { TO_BE_RESTORED } from '#src/services/indexes/compare-store.ts';
import type { IndexEntry, Work } from './work.ts';

interface Restorable {
  job: IngestJob;
  known: IndexEntry;
}

/** Whether the store may lack points of a document whose chunks are as they should be. */
export const isToBeRestored = ({ known }: Pick<Restorable, 'known'>): boolean =>
  known.metadataFingerprint === TO_BE_RESTORED;

/**
 * Writes the points that the store has lost of these documents, from the chunks of the index: nothing is parsed again.
 * Throws what failed for all of them.
 */
export async function restoreMembers(work: Work, members: readonly Restorable[]): Promise<void> {
  const lost = members.filter(isToBeRestored);
  if (lost.length === 0) return;
  const { sink, embedder } = await work.tools();
  const jobs = new Map(lost.map(({ job }) => [job.documentId, job]));
  await sink.restore([...jobs.keys()], async (chunks) => {
    await work.checkpoint();
    const texts = chunks.map((chunk) => embeddedText(jobs.get(chunk.documentId)!, chunk));
    return embedder.embed(texts, 'document');
  });
}
