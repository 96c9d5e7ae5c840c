import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { isTooLargeRefusal } from '#src/ports/embedder.ts';
import type { SinkCapabilities, WholeDocument } from '#src/ports/sink.ts';
import { DocumentSuperseded, type IngestResult } from './job.ts';
import {
  buildEmbeddedText,
  buildResult,
  type EmbeddedText,
  embedTexts,
  type PreparedDocument,
  startStopwatch,
  toIndexedChunks,
} from './prepare.ts';

/**
 * Thrown if several documents failed in one call. The error may have been caused by one of the documents or
 * by none. `cause` is the original error.
 */
export class SharedFailure extends Error {
  override readonly name = 'SharedFailure';

  constructor(cause: unknown) {
    super(getErrorMessage(cause), { cause });
  }
}

/** Maximum number of chunks embedded at once. With 3,072 dimensions, their vectors take 12 MiB. */
const MAX_EMBEDDED_CHUNKS = 1024;

type Results = Map<PreparedDocument, PromiseSettledResult<IngestResult>>;
interface Embedded {
  prepared: PreparedDocument;
  texts: EmbeddedText[];
}

/**
 * Embeds and publishes documents that each fit into one call of the data sink. Their texts are embedded as
 * one stream, so that the calls of the provider are full. Each call of the sink carries as many documents as
 * possible.
 */
export async function indexTogether(documents: readonly PreparedDocument[]): Promise<Results> {
  const results: Results = new Map();
  const [first] = documents;
  if (!first) return results;
  const { sink, checkpoint } = first.job;
  for (const some of groupByWeight(documents, MAX_EMBEDDED_CHUNKS, ({ chunks }) => chunks.length)) {
    await checkpoint();
    const clock = startStopwatch();
    const embedded = await embedTogether(some, results);
    if (embedded.length === 0) continue;
    const embed = clock() / some.length;
    await sink.ensure(embedded[0]!.texts[0]!.vector.length);
    for (const call of groupIntoCalls(embedded, sink.capabilities.batch)) {
      await checkpoint();
      clock();
      const ready = await Promise.all(call.map(toWholeDocument));
      const [published] = await Promise.allSettled([sink.publishMany(ready)]);
      const write = clock() / call.length;
      for (const [at, { prepared }] of call.entries()) {
        const result =
          published.status === 'rejected'
            ? createRejection(published.reason, call.length)
            : published.value[at]!;
        results.set(
          prepared,
          result.status === 'rejected'
            ? result
            : result.value
              ? { status: 'fulfilled', value: buildResult(prepared, { embed, write }) }
              : createRejection(new DocumentSuperseded(prepared.job.documentId)),
        );
      }
    }
  }
  return results;
}

async function toWholeDocument({ prepared, texts }: Embedded): Promise<WholeDocument> {
  return { document: prepared.indexed, chunks: await toIndexedChunks(prepared, prepared.chunks, texts) };
}

/**
 * Embeds the texts of several documents together. If the model refuses a text, the text is found by halving
 * the batch, so that only its own document fails.
 */
async function embedTogether(documents: readonly PreparedDocument[], results: Results): Promise<Embedded[]> {
  const texts = documents.flatMap(({ job, chunks }) => chunks.map((chunk) => buildEmbeddedText(job, chunk)));
  const { job } = documents[0]!;
  const [embedded] = await Promise.allSettled([embedTexts(job, texts)]);
  if (embedded.status === 'fulfilled') {
    let from = 0;
    return documents.map((prepared) => {
      const { length } = prepared.chunks;
      from += length;
      return { prepared, texts: embedded.value.slice(from - length, from) };
    });
  }
  await job.checkpoint();
  if (documents.length > 1 && isTooLargeRefusal(embedded.reason)) {
    const middle = Math.ceil(documents.length / 2);
    const first = await embedTogether(documents.slice(0, middle), results);
    return [...first, ...(await embedTogether(documents.slice(middle), results))];
  }
  for (const each of documents) results.set(each, createRejection(embedded.reason, documents.length));
  return [];
}

/**
 * Wraps a retryable error that several documents share, because one of them may have caused it. A permanent
 * error is returned unchanged, because each document alone would fail in the same way.
 */
export function toSharedFailure(error: unknown, of: number): unknown {
  const isForGood = error instanceof DomainError && !error.retryable;
  return of === 1 || isForGood ? error : new SharedFailure(error);
}

function createRejection(reason: unknown, of = 1): PromiseRejectedResult {
  return { status: 'rejected', reason: toSharedFailure(reason, of) };
}

function* groupIntoCalls(
  embedded: readonly Embedded[],
  most: SinkCapabilities['batch'],
): Generator<Embedded[]> {
  const encoder = new TextEncoder();
  const countBytes = ({ prepared }: Embedded) =>
    prepared.chunks.reduce((sum, { text }) => sum + encoder.encode(text).length, 0);
  for (const some of groupByWeight(embedded, most.chunks, ({ texts }) => texts.length)) {
    yield* groupByWeight(some, most.bytes, countBytes);
  }
}

/**
 * Groups neighbouring items up to the total weight `most`. An item above this weight forms a group of its
 * own.
 */
function* groupByWeight<Item>(
  items: readonly Item[],
  most: number,
  weigh: (item: Item) => number,
): Generator<Item[]> {
  let group: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weigh(item);
    if (group.length > 0 && weight + own > most) {
      yield group;
      [group, weight] = [[], 0];
    }
    group.push(item);
    weight += own;
  }
  if (group.length > 0) yield group;
}
