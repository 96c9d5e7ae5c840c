import { backoff } from '#src/lib/async/backoff.ts';
import type { Removal } from '#src/ports/shard.ts';
import { SinkError } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { SearchClient } from './client.ts';
import type { Clause } from './engine.ts';
import { all, isAmong, isAtMost } from './filter.ts';
import { deleted } from './wire.ts';
import { isTemporary } from './write.ts';

/**
 * Maximum number of documents that one request deletes. The cluster answers only when it has deleted them, so a
 * larger number could exceed the time limit of a request.
 */
const AT_ONCE = 5_000;
/** Maximum number of requests, which prevents endless loops. No index has as many documents. */
const MAX_REQUESTS = 100_000;
/** Number of requests in a row that may delete nothing because documents change at the same moment. */
const ATTEMPTS = 4;
const WAITS = { first: 0.2, longest: 2 };

/**
 * Deletes all matching documents. When the returned promise resolves, searches no longer find them. Does nothing if
 * the index is missing.
 */
export async function deleteWhere(client: SearchClient, query: Clause): Promise<void> {
  const path = `/_delete_by_query?conflicts=proceed&refresh=true&max_docs=${AT_ONCE}`;
  let failures = 0;
  for (let requests = 0; requests < MAX_REQUESTS; requests++) {
    const request = { method: 'POST', path, body: { query } } as const;
    const answer = await ignoreNotFound(client.ask(request, deleted));
    if (!answer) return;
    const [failure] = answer.failures;
    const isPartial = failure !== undefined || answer.timed_out === true || answer.version_conflicts > 0;
    if (!isPartial && answer.deleted < AT_ONCE) return;
    if (!isPartial) {
      failures = 0;
      continue;
    }
    failures += 1;
    const isLasting = typeof failure?.status === 'number' && !isTemporary({ status: failure.status });
    if (isLasting || failures === ATTEMPTS) {
      const { product } = await client.getEngine();
      const reason = failure?.cause?.reason ?? 'documents changed at the same moment';
      const message = `${product} failed to delete documents: ${reason.slice(0, 300)}`;
      throw new SinkError(message, { retryable: !isLasting });
    }
    await new Promise((resolve) => setTimeout(resolve, backoff(WAITS, failures) * 1000));
  }
  const { product } = await client.getEngine();
  throw new SinkError(`${product} deleted more documents than an index can have.`, { retryable: true });
}

/** Deletes all chunks of the given documents, up to and including the given versions. */
export async function deleteVersions(
  client: SearchClient,
  indexClause: Clause,
  removals: Removal[],
): Promise<void> {
  for (const [version, documentIds] of groupByVersion(removals)) {
    const clause = all(indexClause, isAmong('document_id', documentIds), isAtMost('version', version));
    await deleteWhere(client, clause);
  }
}
