import { backoff } from '#src/lib/async/backoff.ts';
import { SinkError } from '#src/ports/sink.ts';
import type { FoundRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { type SearchClient, serialize } from '#src/sinks/opensearch/client.ts';
import { rejectPartial } from '#src/sinks/opensearch/search-request.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { type FailedSearch, severalAnswers } from './records.ts';

/** One of the searches of a request. */
export interface SingleSearch {
  searchType?: 'dfs_query_then_fetch';
  body: object;
}

const WAITS = { first: 0.2, longest: 2 };
const LONGEST_REASON = 300;

/**
 * Sends several searches in one request, and returns the results of each. The answer has the status 200 even if a search
 * failed, so each result is checked. Temporary failures of a search are repeated up to `retries` times.
 */
export async function searchTogether(
  client: SearchClient,
  searches: SingleSearch[],
  retries: number,
): Promise<FoundRecord[][]> {
  const lines = searches.flatMap(({ searchType, body }) => [
    serialize({ allow_partial_search_results: false, ...(searchType && { search_type: searchType }) }),
    serialize(body),
  ]);
  for (let attempt = 1; ; attempt += 1) {
    const { responses } = await client.ask({ method: 'POST', path: '/_msearch', lines }, severalAnswers);
    const answers = responses.flatMap((each) => ('error' in each ? [] : [each]));
    const failures = responses.flatMap((each) => ('error' in each ? [each] : []));
    const failure = failures.find(({ status }) => !isRetryableStatus(status)) ?? failures[0];
    if (!failure) {
      if (answers.length !== searches.length)
        throw await createError(client, `answered ${answers.length} of ${searches.length} searches`, true);
      for (const answer of answers) await rejectPartial(client, answer);
      return answers.map(({ hits }) => hits.hits.flatMap((hit) => (hit ? [hit] : [])));
    }
    if (!isRetryableStatus(failure.status) || attempt > retries) throw await describeFailure(client, failure);
    await new Promise((resolve) => setTimeout(resolve, backoff(WAITS, attempt) * 1000));
  }
}

async function describeFailure(client: SearchClient, { status, error }: FailedSearch): Promise<SinkError> {
  // The error of a failed search is a general one. Its cause has the reason.
  const { reason, type } = error.root_cause?.[0] ?? error;
  const detail = reason ?? type;
  const message = `failed to search index ${client.name} with status ${status}${detail ? `: ${detail.slice(0, LONGEST_REASON)}` : ''}`;
  return createError(client, message, isRetryableStatus(status), status);
}

async function createError(
  client: SearchClient,
  message: string,
  retryable: boolean,
  status?: number,
): Promise<SinkError> {
  const { product } = await client.getEngine();
  return new SinkError(`${product} ${message}`, { retryable, ...(status !== undefined && { status }) });
}
