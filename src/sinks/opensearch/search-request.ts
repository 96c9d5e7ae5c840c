import type { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import type { Cluster, SearchClient } from './client.ts';

/** Parts of a search's answer that say whether the whole index was searched. */
interface Coverage {
  timed_out: boolean;
  _shards: { failed: number };
}

/** Searches the index. Rejects with a retryable error if a part of the index did not answer. */
export async function searchIndex<T extends Coverage>(
  client: SearchClient,
  body: object,
  schema: z.ZodType<T>,
): Promise<T> {
  const path = '/_search?allow_partial_search_results=false';
  const answer = await client.ask({ method: 'POST', path, body }, schema);
  await rejectPartial(client, answer);
  return answer;
}

/** Rejects with a retryable error if a part of the index did not answer. */
export async function rejectPartial(client: SearchClient, { timed_out, _shards }: Coverage): Promise<void> {
  if (!timed_out && _shards.failed === 0) return;
  const { product } = await client.getEngine();
  throw new SinkError(`${product} searched only a part of index ${client.name}.`, { retryable: true });
}

/**
 * Runs a search that may have a pre-filter. Some clusters forbid ranges of keywords. The search is then repeated, and
 * `Cluster.allowsRanges` is false. Sluice applies the exact filter itself, so a search without ranges is only slower.
 */
export async function searchWithRanges<T>(
  client: SearchClient,
  hasPreFilter: boolean,
  search: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await client.getCluster();
  try {
    return await search(cluster);
  } catch (error) {
    const isForbidden = error instanceof Upstream && error.message.includes('allow_expensive_queries');
    if (!isForbidden || !hasPreFilter || !cluster.allowsRanges) throw error;
    cluster.allowsRanges = false;
    return search(cluster);
  }
}
