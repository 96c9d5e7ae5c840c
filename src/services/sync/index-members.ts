import type { PageRange } from '#src/documents/page-selection.ts';
import {
  buildEmbeddedText,
  DocumentSuperseded,
  type FileResult,
  type IngestJob,
  type IngestResult,
  toSharedFailure,
} from '#src/ingest/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { RESTORE_FINGERPRINT } from '#src/services/indexes/compare-store.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import { type Indexed, recordDescribed, recordIndexed, removeSuperseded, type Subject } from './record.ts';
import { buildIngestJob, type DescribedDocument, type IndexEntry, isIndexed, type Work } from './work.ts';

interface Restorable {
  job: IngestJob;
  known: IndexEntry;
}

/** Returns whether the vector store may lack vectors of a document whose chunks are current. */
const needsRestore = ({ known }: Pick<Restorable, 'known'>): boolean =>
  known.metadataFingerprint === RESTORE_FINGERPRINT;

/** Result of processing a file or text. A rejected promise means that the item is retried. */
export type Result = PromiseSettledResult<Outcome | { parts: WorkItem[] }>;

export interface Member {
  subject: Subject;
  described: DescribedDocument;
  known: IndexEntry | null;
}

/** Operations of indexing that differ between files and texts. */
export interface MemberKind<Of extends Member> {
  ingest(entries: readonly { member: Of; job: IngestJob }[]): Promise<PromiseSettledResult<FileResult>[]>;
  /** Returns the data to store for an indexed document. Throws if the result is not a success. */
  success(member: Of, result: IngestResult): Pick<Indexed, 'facts'> & Outcome;
  parts?(member: Of, missing: PageRange[]): WorkItem[];
  /** Stores the failure of a document if it is permanent. Throws any other error again. */
  fail(member: Of, error: unknown): Promise<Outcome>;
}

/**
 * Indexes several files or texts together. Skips those that are already indexed. A failure of one does not
 * affect the others.
 */
export async function indexMembers<Of extends Member>(
  work: Work,
  members: readonly Of[],
  kind: MemberKind<Of>,
): Promise<Map<Of, Result>> {
  const results = new Map<Of, Result>();
  const failures: { member: Of; error: unknown }[] = [];
  const current: { member: Of; job: IngestJob; known: IndexEntry }[] = [];
  const entries: { member: Of; job: IngestJob }[] = [];
  for (const member of members) {
    try {
      const job = await buildIngestJob(work, member.described);
      const { known, subject } = member;
      if (isIndexed(known, subject.fingerprints, job)) current.push({ member, job, known });
      else entries.push({ member, job });
    } catch (error) {
      failures.push({ member, error });
    }
  }
  for (const [member, result] of await updateDescriptions(work, current)) {
    if (result.status === 'rejected') failures.push({ member, error: result.reason });
    else results.set(member, result);
  }
  const indexed: { member: Of; recorded: Indexed; outcome: Outcome }[] = [];
  const ingested = await kind.ingest(entries);
  for (const [at, { member, job }] of entries.entries()) {
    const result = ingested[at]!;
    try {
      if (result.status === 'rejected') throw result.reason;
      if ('missing' in result.value) {
        results.set(member, fulfilled({ parts: kind.parts?.(member, result.value.missing) ?? [] }));
        continue;
      }
      const { facts, ...outcome } = kind.success(member, result.value);
      const recorded = { subject: member.subject, job, result: result.value, ...(facts && { facts }) };
      indexed.push({ member, recorded, outcome });
    } catch (error) {
      failures.push({ member, error });
    }
  }
  const [written] = await Promise.allSettled([
    recordIndexed(
      work,
      indexed.map(({ recorded }) => recorded),
    ),
  ]);
  for (const { member, outcome } of indexed) {
    if (written.status === 'fulfilled') results.set(member, fulfilled(outcome));
    else failures.push({ member, error: toSharedFailure(written.reason, indexed.length) });
  }
  const isSuperseded = ({ error }: { error: unknown }) => error instanceof DocumentSuperseded;
  await removeSuperseded(
    work,
    failures.filter(isSuperseded).map(({ member }) => member.subject.documentId),
  );
  for (const { member, error } of failures) {
    results.set(member, (await Promise.allSettled([kind.fail(member, error)]))[0]);
  }
  return results;
}

/**
 * Updates the title and metadata of documents whose chunks are current. Vectors that the store has lost are
 * restored first.
 */
async function updateDescriptions<Of extends Member>(
  work: Work,
  upToDate: readonly { member: Of; job: IngestJob; known: IndexEntry }[],
): Promise<[Of, PromiseSettledResult<Outcome>][]> {
  const [restored] = await Promise.allSettled([restoreMembers(work, upToDate)]);
  if (restored.status === 'rejected') {
    const reason = toSharedFailure(restored.reason, upToDate.length);
    return upToDate.map(({ member }) => [member, { status: 'rejected', reason }]);
  }
  const described = await inParallel(upToDate, async ({ job }) => {
    const { sink, documentId, title, metadata } = job;
    const description = { documentId, title, metadata, ...(job.sparse && { hasWeights: true }) };
    return (await Promise.allSettled([sink.describe(description)]))[0];
  });
  const done = upToDate.filter((_, at) => described[at]!.status === 'fulfilled');
  const [written] = await Promise.allSettled([
    recordDescribed(
      work,
      done.map(({ member: { subject }, known: entry }) => ({ subject, entry })),
    ),
  ]);
  return upToDate.map(({ member, known }, at) => {
    const result = described[at]!;
    if (result.status === 'rejected') return [member, result];
    const counters: Outcome['counters'] = needsRestore({ known }) ? { restored: 1 } : { described: 1 };
    if (written.status === 'fulfilled') return [member, fulfilled({ counters })];
    return [member, { status: 'rejected', reason: toSharedFailure(written.reason, done.length) }];
  });
}

const fulfilled = <Value>(value: Value): PromiseFulfilledResult<Value> => ({ status: 'fulfilled', value });

/**
 * Restores vectors that the store has lost, from the chunks of the index and without parsing. If an error
 * occurs, it applies to all given documents.
 */
async function restoreMembers(work: Work, members: readonly Restorable[]): Promise<void> {
  const lost = members.filter(needsRestore);
  if (lost.length === 0) return;
  const { sink, embedder } = await work.tools();
  const jobs = new Map(lost.map(({ job }) => [job.documentId, job]));
  await sink.restore([...jobs.keys()], async (chunks) => {
    await work.checkpoint();
    const texts = chunks.map((chunk) => buildEmbeddedText(jobs.get(chunk.documentId)!, chunk));
    return embedder.embed(texts, 'document');
  });
}
