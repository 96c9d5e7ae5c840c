import { backoff } from '#src/lib/async/backoff.ts';
import { SinkError } from '#src/ports/sink.ts';
import type { AzureSearchClient } from './client.ts';
import { PRODUCT } from './settings.ts';
import { indexed } from './wire.ts';

type Action = Record<string, unknown> & { '@search.action': string; id: string };

/**
 * HTTP statuses of a single document that are retried. They mean a concurrent write, a busy index or a busy
 * service.
 */
const RETRYABLE_STATUSES = new Set([409, 422, 429, 500, 503]);
const ATTEMPTS = 4;
const WAITS = { first: 0.2, longest: 2 };
const LONGEST_REASON = 300;

/**
 * Writes one batch. Documents with temporary failures are sent again, and any other failure rejects the whole
 * batch. Updating or deleting a document that no longer exists is not a failure.
 */
export async function writeBatch(client: AzureSearchClient, actions: Action[]): Promise<void> {
  let left = actions;
  for (let attempt = 1; left.length > 0; attempt++) {
    const request = {
      method: 'POST',
      path: `${client.indexPath}/docs/search.index`,
      body: { value: left },
    } as const;
    const { value } = await client.ask(request, indexed);
    const answers = new Map(value.map((each) => [each.key, each]));
    const failed = left.filter((action) => !isDone(action, answers.get(action.id)));
    if (failed.length === 0) return;
    const answer = failed
      .map(({ id }) => answers.get(id))
      .find((each) => !each || !RETRYABLE_STATUSES.has(each.statusCode));
    const first = answer ?? answers.get(failed[0]!.id);
    const isLasting = answer !== undefined;
    if (isLasting || attempt === ATTEMPTS) {
      const reason = `${first?.statusCode ?? 'no status'}${first?.errorMessage ? `: ${first.errorMessage}` : ''}`;
      const message = `${PRODUCT} failed to write one of ${left.length} documents: ${reason.slice(0, LONGEST_REASON)}`;
      throw new SinkError(message, { retryable: !isLasting });
    }
    left = failed;
    await new Promise((resolve) => setTimeout(resolve, backoff(WAITS, attempt) * 1000));
  }
}

function isDone(action: Action, answer: { status: boolean; statusCode: number } | undefined): boolean {
  if (!answer) return false;
  const isGone = answer.statusCode === 404 && action['@search.action'] !== 'mergeOrUpload';
  return answer.status || isGone;
}
