import type { PageRange } from '#src/documents/page-selection.ts';
import {
  embeddedText,
  type FileResult,
  failedTogether,
  type IngestJob,
  type IngestResult,
  Overtaken,
} from '#src/ingest/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { TO_BE_RESTORED } from '#src/services/indexes/compare-store.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import { forgetRemoved, type Indexed, recordDescribed, recordIndexed, type Subject } from './record.ts';
import { type DescribedDocument, type IndexEntry, isIndexed, jobFor, type Work } from './work.ts';

interface Restorable {
  job: IngestJob;
  known: IndexEntry;
}

/** Whether the store may lack points of a document whose chunks are as they should be. */
const isToBeRestored = ({ known }: Pick<Restorable, 'known'>): boolean =>
  known.metadataFingerprint === TO_BE_RESTORED;

/** Result of an attempt at a member. A rejection means that another attempt may succeed. */
export type Result = PromiseSettledResult<Outcome | { parts: WorkItem[] }>;

/** A member of the pipeline as its row describes it. */
export interface Member {
  subject: Subject;
  described: DescribedDocument;
  /** Index entry of the member, if there is one. */
  known: IndexEntry | null;
}

/** Operations of one kind of members. */
export interface MemberKind<Of extends Member> {
  ingest(entries: readonly { member: Of; job: IngestJob }[]): Promise<PromiseSettledResult<FileResult>[]>;
  /** Returns what to store for an indexed member. Throws if the result is not a success. */
  success(member: Of, result: IngestResult): Pick<Indexed, 'facts'> & Outcome;
  parts?(member: Of, missing: PageRange[]): WorkItem[];
  /** Stores a permanent failure and rethrows every other error. */
  fail(member: Of, error: unknown): Promise<Outcome>;
}

/**
 * Indexes members together, as far as they are not indexed yet. A failed member does not affect the others.
 */
export async function indexMembers<Of extends Member>(
  work: Work,
  members: readonly Of[],
  kind: MemberKind<Of>,
): Promise<Map<Of, Result>> {
  const results = new Map<Of, Result>();
  const failures: { member: Of; error: unknown }[] = [];
  const there: { member: Of; job: IngestJob; known: IndexEntry }[] = [];
  const entries: { member: Of; job: IngestJob }[] = [];
  for (const member of members) {
    try {
      const job = await jobFor(work, member.described);
      const { known, subject } = member;
      if (isIndexed(known, subject.fingerprints, job)) there.push({ member, job, known });
      else entries.push({ member, job });
    } catch (error) {
      failures.push({ member, error });
    }
  }
  for (const [member, result] of await redescribe(work, there)) {
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
    else failures.push({ member, error: failedTogether(written.reason, indexed.length) });
  }
  const isOvertaken = ({ error }: { error: unknown }) => error instanceof Overtaken;
  await forgetRemoved(
    work,
    failures.filter(isOvertaken).map(({ member }) => member.subject.documentId),
  );
  for (const { member, error } of failures) {
    results.set(member, (await Promise.allSettled([kind.fail(member, error)]))[0]);
  }
  return results;
}

/**
 * Updates only title and metadata, because the chunks are current. Vectors that the store has lost are
 * written first.
 */
async function redescribe<Of extends Member>(
  work: Work,
  there: readonly { member: Of; job: IngestJob; known: IndexEntry }[],
): Promise<[Of, PromiseSettledResult<Outcome>][]> {
  const [restored] = await Promise.allSettled([restoreMembers(work, there)]);
  if (restored.status === 'rejected') {
    const reason = failedTogether(restored.reason, there.length);
    return there.map(({ member }) => [member, { status: 'rejected', reason }]);
  }
  const told = await inParallel(there, async ({ job: { sink, documentId, title, metadata } }) => {
    return (await Promise.allSettled([sink.describe({ documentId, title, metadata })]))[0];
  });
  const done = there.filter((_, at) => told[at]!.status === 'fulfilled');
  const [written] = await Promise.allSettled([
    recordDescribed(
      work,
      done.map(({ member: { subject }, known: entry }) => ({ subject, entry })),
    ),
  ]);
  return there.map(({ member, known }, at) => {
    const result = told[at]!;
    if (result.status === 'rejected') return [member, result];
    const counters: Outcome['counters'] = isToBeRestored({ known }) ? { restored: 1 } : { described: 1 };
    if (written.status === 'fulfilled') return [member, fulfilled({ counters })];
    return [member, { status: 'rejected', reason: failedTogether(written.reason, done.length) }];
  });
}

const fulfilled = <Value>(value: Value): PromiseFulfilledResult<Value> => ({ status: 'fulfilled', value });

/**
 * Restores points that the store has lost from the chunks of the index, without parsing. Throws an error that
 * concerns all documents.
 */
async function restoreMembers(work: Work, members: readonly Restorable[]): Promise<void> {
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
