import { DomainError, messageOf } from '#src/lib/errors.ts';
import { refusesTexts } from '#src/ports/embedder.ts';
import type { SinkCapabilities, WholeDocument } from '#src/ports/sink.ts';
import { type IngestResult, Overtaken } from './job.ts';
import { embeddedText, type Prepared, resultOf, stopwatch, toIndexed } from './prepare.ts';

/**
 * Thrown if several documents failed in one call, which may be the fault of one of them or of none. `cause`
 * is the original error.
 */
export class FailedTogether extends Error {
  override readonly name = 'FailedTogether';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Maximum number of chunks embedded at once. With 3,072 dimensions, their vectors take 12 MiB. */
const MOST_TEXTS = 1024;

type Results = Map<Prepared, PromiseSettledResult<IngestResult>>;
interface Embedded {
  prepared: Prepared;
  vectors: Float32Array[];
}

/**
 * Embeds and publishes documents that each fit into one call of the sink. Their texts form one stream, so
 * that calls of the provider are full, and each call of the sink carries as many documents as possible.
 */
export async function indexTogether(documents: readonly Prepared[]): Promise<Results> {
  const results: Results = new Map();
  const [first] = documents;
  if (!first) return results;
  const { sink, checkpoint } = first.job;
  for (const some of gathered(documents, MOST_TEXTS, ({ chunks }) => chunks.length)) {
    await checkpoint();
    const clock = stopwatch();
    const embedded = await embedTogether(some, results);
    if (embedded.length === 0) continue;
    const embed = clock() / some.length;
    await sink.ensure(embedded[0]!.vectors[0]!.length);
    for (const call of callsOf(embedded, sink.capabilities.batch)) {
      await checkpoint();
      clock();
      const ready = await Promise.all(call.map(wholeDocument));
      const [published] = await Promise.allSettled([sink.publishMany(ready)]);
      const write = clock() / call.length;
      for (const [at, { prepared }] of call.entries()) {
        const result =
          published.status === 'rejected' ? rejected(published.reason, call.length) : published.value[at]!;
        results.set(
          prepared,
          result.status === 'rejected'
            ? result
            : result.value
              ? { status: 'fulfilled', value: resultOf(prepared, { embed, write }) }
              : rejected(new Overtaken(prepared.job.documentId)),
        );
      }
    }
  }
  return results;
}

async function wholeDocument({ prepared, vectors }: Embedded): Promise<WholeDocument> {
  return { document: prepared.indexed, chunks: await toIndexed(prepared, prepared.chunks, vectors) };
}

/**
 * Embeds the documents together. A text that the model refuses is found by halving and fails only its own
 * document.
 */
async function embedTogether(documents: readonly Prepared[], results: Results): Promise<Embedded[]> {
  const texts = documents.flatMap(({ job, chunks }) => chunks.map((chunk) => embeddedText(job, chunk)));
  const { embedder, checkpoint } = documents[0]!.job;
  const [vectors] = await Promise.allSettled([embedder.embed(texts, 'document')]);
  if (vectors.status === 'fulfilled') {
    let from = 0;
    return documents.map((prepared) => {
      const { length } = prepared.chunks;
      from += length;
      return { prepared, vectors: vectors.value.slice(from - length, from) };
    });
  }
  await checkpoint();
  if (documents.length > 1 && refusesTexts(vectors.reason)) {
    const middle = Math.ceil(documents.length / 2);
    const first = await embedTogether(documents.slice(0, middle), results);
    return [...first, ...(await embedTogether(documents.slice(middle), results))];
  }
  for (const each of documents) results.set(each, rejected(vectors.reason, documents.length));
  return [];
}

/**
 * A temporary error may be the fault of one of several documents. Other errors would be the same for each
 * alone.
 */
export function failedTogether(error: unknown, of: number): unknown {
  const isForGood = error instanceof DomainError && !error.retryable;
  return of === 1 || isForGood ? error : new FailedTogether(error);
}

function rejected(reason: unknown, of = 1): PromiseRejectedResult {
  return { status: 'rejected', reason: failedTogether(reason, of) };
}

/** Groups documents into calls of the sink. */
function* callsOf(embedded: readonly Embedded[], most: SinkCapabilities['batch']): Generator<Embedded[]> {
  const encoder = new TextEncoder();
  const bytesOf = ({ prepared }: Embedded) =>
    prepared.chunks.reduce((sum, { text }) => sum + encoder.encode(text).length, 0);
  for (const some of gathered(embedded, most.chunks, ({ vectors }) => vectors.length)) {
    yield* gathered(some, most.bytes, bytesOf);
  }
}

/** Groups neighbours whose total weight is at most `most`. A heavier one forms a group of its own. */
function* gathered<Item>(
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
