import { type Answer, Refused, type VendorRequest } from '../behaviour.ts';
import { applyAction, failItem, readActions } from './bulk.ts';
import { type Cluster, change, type Index, listVisible, refresh } from './cluster.ts';
import { compileQuery, type Query } from './query.ts';

const LARGEST_BULK = 10_000_000;
/** Password and API key that may read but not write. */
const READ_ONLY = 'read-only';
export const toBase64 = (text: string) => Buffer.from(text).toString('base64');
export const isReadOnly = ({ headers }: Pick<VendorRequest, 'headers'>) =>
  headers.authorization === `ApiKey ${READ_ONLY}` ||
  headers.authorization === `Basic ${toBase64(`user:${READ_ONLY}`)}`;

export function writeBulk(request: VendorRequest, cluster: Cluster): Answer {
  if (request.text.length > LARGEST_BULK)
    throw new Refused({ status: 413, message: 'the request is too large' });
  if (!request.text.endsWith('\n'))
    throw new Refused({ status: 400, message: 'The bulk request must be terminated by a newline [\\n]' });
  const { index: target = '' } = request.params;
  const actions = readActions(request.body as Record<string, unknown>[]);
  const busy = request.trouble?.startsWith('busy')
    ? Number(request.trouble.slice('busy '.length))
    : undefined;
  const index = attempt(() => cluster.getForWrite(target, request.query.require_alias === 'true'));
  const items = actions.map((action, at) => {
    if (isReadOnly(request))
      return failItem(action, target, { status: 403, type: 'security_exception', reason: 'no permissions' });
    if (index instanceof Refused)
      return failItem(action, target, {
        status: 404,
        type: 'index_not_found_exception',
        reason: index.message,
      });
    const isBusy = busy !== undefined && at % 2 === 0;
    const failure = { status: busy ?? 0, type: 'rejected_execution_exception', reason: 'the queue is full' };
    return isBusy ? failItem(action, target, failure) : applyAction(index, action);
  });
  if (request.query.refresh === 'true' && !(index instanceof Refused)) refresh(index);
  const errors = items.some((item) => Object.values(item).some((result) => 'error' in result));
  const shown = request.trouble === 'lost results' ? items.slice(1) : items;
  return { body: { took: 1, errors, items: shown } };
}

function attempt<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

export function deleteByQuery(request: VendorRequest, index: Index): Answer {
  if (isReadOnly(request)) throw new Refused({ status: 403, message: 'no permissions for delete by query' });
  const { query } = request.body as { query: Query };
  const passes = compileQuery(query, { fields: index.fields, allowsExpensive: true });
  const most = Number(request.query.max_docs ?? Number.POSITIVE_INFINITY);
  const found = listVisible(index)
    .filter(([, source]) => passes(source))
    .slice(0, most);
  // A document that changed since the last refresh is not the one that the search found.
  const isStale = ([id]: [string, unknown]) => index.unrefreshed.has(id) || request.trouble === 'conflict';
  const conflicts = found.filter(isStale);
  if (conflicts.length > 0 && request.query.conflicts !== 'proceed')
    throw new Refused({ status: 409, message: 'version conflict' });
  const gone = found.filter((each) => !isStale(each));
  for (const [id] of gone) change(index, id, undefined);
  if (request.query.refresh === 'true') refresh(index);
  return {
    body: {
      ...{
        took: 1,
        timed_out: false,
        total: found.length,
        deleted: gone.length,
        batches: 1,
        noops: 0,
        failures: [],
      },
      ...{ version_conflicts: conflicts.length, retries: { bulk: 0, search: 0 }, throttled_millis: 0 },
      ...{ requests_per_second: -1, throttled_until_millis: 0 },
    },
  };
}

export function lookUp(request: VendorRequest, cluster: Cluster): Answer {
  const { ids } = request.body as { ids: string[] };
  const name = request.params.index!;
  const index = cluster.find(name);
  const docs = ids.map((_id) => {
    if (!index)
      return {
        _index: name,
        _id,
        error: { type: 'index_not_found_exception', reason: `no such index [${name}]` },
      };
    if (request.trouble === 'broken shard')
      return { _index: name, _id, error: { type: 'illegal_state_exception', reason: 'no shard' } };
    return {
      _index: name,
      _id,
      ...(index.points.has(_id) ? { _version: 1, found: true } : { found: false }),
    };
  });
  return { body: { docs } };
}
