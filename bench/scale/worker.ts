import type { Shard } from '#src/ports/shard.ts';
import { mergeAnswers } from '#src/search/fan-out.ts';
import { taken } from '../../test/support/metering/counts.ts';
import { meterObject } from '../../test/support/metering/objects.ts';
import { query } from '../search/data.ts';
import search, { BenchShard } from '../search/worker.ts';

/** Shard that counts the billed rows. */
export class CountedShard extends BenchShard {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    meterObject(state);
    super(state, env);
  }
}

/** Default number of hits in the service. */
const TOP_K = 30;
/**
 * Number of calls that are timed together, because the clock of the runtime has a resolution of milliseconds.
 */
const BATCH = 10;

interface Env {
  SHARD: DurableObjectNamespace<CountedShard>;
}

/**
 * Measures the duration and size of single shard calls, in addition to the paths of bench/search/worker.ts.
 */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== '/call') return search.fetch(request, env);
    const shard = env.SHARD.getByName(url.searchParams.get('shard')!) as unknown as Shard;
    const call = createCall(shard, url.searchParams.get('what')!);
    const milliseconds: number[] = [];
    const count = Number(url.searchParams.get('count'));
    let bytes = 0;
    taken();
    for (let first = 0; first < count; first += BATCH) {
      const answers: unknown[] = [];
      const started = performance.now();
      for (let i = 0; i < BATCH; i++) answers.push(await call(first + i));
      milliseconds.push((performance.now() - started) / BATCH);
      bytes = JSON.stringify(answers).length / BATCH;
    }
    const rows = (taken()['object rows read'] ?? 0) / count;
    return Response.json({ milliseconds, bytes, rows });
  },
};

function createCall(shard: Shard, what: string): (number: number) => Promise<unknown> {
  switch (what) {
    case 'nothing':
      return () => shard.getChunkPlace('none');
    case 'statistics':
      return (number) => shard.statistics(query(number).text);
    case 'words':
      return (number) => shard.query({ text: query(number).text, denseTopK: 0, sparseTopK: TOP_K });
    case 'vector':
      return (number) => shard.query({ vector: query(number).vector, denseTopK: TOP_K, sparseTopK: 0 });
    case 'merging':
      return async (number) => {
        const answer = await shard.query({ ...query(number), denseTopK: TOP_K, sparseTopK: TOP_K });
        return mergeAnswers(new Array(100).fill(answer), { denseTopK: TOP_K, sparseTopK: TOP_K }).timings;
      };
    case 'copying':
      return async (number) => {
        const answer = await shard.query({ ...query(number), denseTopK: TOP_K, sparseTopK: TOP_K });
        return Array.from({ length: 100 }, () => structuredClone(answer)).length;
      };
    default:
      return (number) => shard.query({ ...query(number), denseTopK: TOP_K, sparseTopK: TOP_K });
  }
}
