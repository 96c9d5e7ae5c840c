import { backoff } from '#src/lib/async/backoff.ts';
import { SinkError } from '#src/ports/sink.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { type SearchClient, serialize } from './client.ts';
import { bulkResult, type ItemResult } from './wire.ts';

export type Action =
  | { index: { _id: string }; document: Record<string, unknown> }
  | { update: { _id: string }; changes: Record<string, unknown> };

/** Maximum size of a bulk request in bytes. Small hosted clusters accept 10 MB. */
const MAX_BYTES = 8_000_000;
const encoder = new TextEncoder();
const MAX_ACTIONS = 1_000;
const ATTEMPTS = 4;
const WAITS = { first: 0.2, longest: 2 };
const LONGEST_REASON = 300;
/** Number of times that the cluster repeats an update of a document that changes at the same moment. */
const CONFLICT_RETRIES = 3;

/**
 * Writes documents through the alias and makes them visible to searches. A bulk response has the status 200 even if
 * actions failed, so the result of each action is checked. Actions with temporary failures are sent again. Any other
 * failure rejects the whole call. Updating a document that no longer exists is not a failure.
 */
export async function writeBulk(client: SearchClient, alias: string, actions: Action[]): Promise<void> {
  for (const batch of splitBySize(actions.map(toPending))) await writeBatch(client, alias, batch);
}

interface Pending {
  isUpdate: boolean;
  /** The two lines of the action in the request. */
  lines: string[];
}

function toPending(action: Action): Pending {
  if ('index' in action) {
    const { index, document } = action;
    return { isUpdate: false, lines: [serialize({ index }), serialize(document)] };
  }
  const update = { ...action.update, retry_on_conflict: CONFLICT_RETRIES };
  return { isUpdate: true, lines: [serialize({ update }), serialize({ doc: action.changes })] };
}

function* splitBySize(actions: Pending[]): Generator<Pending[]> {
  let batch: Pending[] = [];
  let size = 0;
  for (const action of actions) {
    const length = action.lines.reduce((sum, line) => sum + encoder.encode(line).byteLength + 1, 0);
    if (batch.length === MAX_ACTIONS || (batch.length > 0 && size + length > MAX_BYTES)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(action);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

async function writeBatch(client: SearchClient, alias: string, batch: Pending[]): Promise<void> {
  let left = batch;
  for (let attempt = 1; ; attempt++) {
    const results = await sendBulk(client, alias, left, '?refresh=true&require_alias=true');
    const failed = left.flatMap((action, at) => {
      const result = results[at]!;
      const isGone = action.isUpdate && result.status === 404 && isMissingDocument(result);
      return isGone || isSuccess(result) ? [] : [{ action, result }];
    });
    if (failed.length === 0) return;
    const lasting = failed.find(({ result }) => !isTemporary(result));
    if (lasting || attempt === ATTEMPTS)
      throw await createItemError(client, (lasting ?? failed[0]!).result, left.length);
    left = failed.map(({ action }) => action);
    await new Promise((resolve) => setTimeout(resolve, backoff(WAITS, attempt) * 1000));
  }
}

/**
 * Deletes a document that does not exist, which verifies that the credentials may write. Changes nothing and creates
 * no index.
 */
export async function deleteNothing(client: SearchClient, name: string): Promise<void> {
  const lines = [serialize({ delete: { _id: crypto.randomUUID() } })];
  const [result] = await sendBulk(client, name, [{ isUpdate: true, lines }], '');
  if (!isSuccess(result!) && result!.status !== 404) throw await createItemError(client, result!, 1);
}

async function sendBulk(
  client: SearchClient,
  target: string,
  actions: Pending[],
  query: string,
): Promise<ItemResult[]> {
  const lines = actions.flatMap((action) => action.lines);
  const { items } = await client.ask({ method: 'POST', target, path: `/_bulk${query}`, lines }, bulkResult);
  const results = items.flatMap((item) => Object.values(item));
  if (results.length === actions.length) return results;
  const { product } = await client.getEngine();
  const message = `${product} reported ${results.length} results for ${actions.length} written documents.`;
  throw new SinkError(message, { retryable: true });
}

const isSuccess = ({ status, error }: ItemResult): boolean => !error && status >= 200 && status < 300;

/** Returns whether a write failed because of a busy node or a concurrent write. */
export const isTemporary = ({ status }: Pick<ItemResult, 'status'>): boolean =>
  status === 409 || isRetryableStatus(status);

const isMissingDocument = ({ error }: ItemResult): boolean =>
  !error || error.type === 'document_missing_exception';

async function createItemError(client: SearchClient, result: ItemResult, count: number): Promise<SinkError> {
  const { product } = await client.getEngine();
  const reason = result.error?.reason ?? result.error?.type;
  const detail = `${result.status}${reason ? `: ${reason.slice(0, LONGEST_REASON)}` : ''}`;
  const message = `${product} failed to write one of ${count} documents with status ${detail}`;
  return new SinkError(message, { retryable: isTemporary(result), status: result.status });
}
