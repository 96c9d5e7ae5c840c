/// <reference types="@cloudflare/workers-types" />
import { SearchShard } from '../../durable-objects/search-shard.ts';
import { mergeAnswers, sumStatistics } from '../../src/search/merge.ts';
import type { Filters, ShardAnswer, ShardQuery } from '../../src/search/types.ts';
import { bucketOf, CHUNKS_PER_DOCUMENT, chunk, query } from './data.ts';

const TOP_K = 10;
const IN_FLIGHT = 8;
/** Queries timed together: the runtime's clock has milliseconds. */
const BATCH = 10;

export class BenchShard extends SearchShard {
  sleep(): void {
    this.ctx.abort('asleep');
  }

  async idle(): Promise<boolean> {
    return (await this.ctx.storage.getAlarm()) === null;
  }
}

interface Env {
  SHARD: DurableObjectNamespace<BenchShard>;
}

/** Drives the shards from inside the runtime, so that nothing but the object calls is timed. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const shards = (url.searchParams.get('shards') ?? '').split(',').map((name) => env.SHARD.getByName(name));
    const number = (name: string) => Number(url.searchParams.get(name));
    switch (url.pathname) {
      case '/load':
        return Response.json(
          await load(shards[0]!, number('from'), number('to'), number('size') || CHUNKS_PER_DOCUMENT),
        );
      case '/settled':
        return Response.json((await Promise.all(shards.map((shard) => shard.idle()))).every(Boolean));
      case '/stats':
        return Response.json(await Promise.all(shards.map((shard) => shard.stats())));
      case '/sleep':
        await Promise.allSettled(shards.map((shard) => shard.sleep()));
        return Response.json(null);
      case '/query':
        return Response.json(
          await ask(shards, url.searchParams.get('mode') ?? '', number('from'), number('count')),
        );
      default:
        return new Response(null, { status: 404 });
    }
  },
};

/** Stages and publishes documents, a few at a time, as an ingestion with several consumers does. */
async function load(
  shard: DurableObjectStub<BenchShard>,
  from: number,
  to: number,
  size: number,
): Promise<{ seconds: number }> {
  let seconds = 0;
  for (let first = from; first < to; first += size * IN_FLIGHT) {
    const documents = [];
    for (let at = first; at < Math.min(to, first + size * IN_FLIGHT); at += size) {
      documents.push(documentAt(at, Math.min(size, to - at), at / size));
    }
    await shard.idle();
    const started = performance.now();
    await Promise.all(
      documents.map(async ({ document, chunks }) => {
        await shard.stage(document, chunks);
        await shard.publish(document.documentId, document.version, chunks.length);
      }),
    );
    // What the commit costs shows when the next call is answered.
    await shard.idle();
    seconds += (performance.now() - started) / 1000;
  }
  return { seconds };
}

function documentAt(first: number, size: number, number: number) {
  const documentId = `document ${number}`;
  const metadata = { bucket: bucketOf(number), year: 2000 + (number % 25) };
  const chunks = Array.from({ length: size }, (_, position) => {
    const { text, vector } = chunk(first + position);
    const id = String(first + position);
    return { id, position, text, vector, language: 'en', startChar: 0, endChar: text.length, hash: id };
  });
  return { document: { documentId, version: 1, title: documentId, metadata }, chunks };
}

async function ask(
  shards: DurableObjectStub<BenchShard>[],
  mode: string,
  from: number,
  count: number,
): Promise<{ milliseconds: number[]; ids: string[][]; timings: Record<string, number> }> {
  const milliseconds: number[] = [];
  const ids: string[][] = [];
  const timings: Record<string, number> = {};
  const queries = Array.from({ length: count }, (_, i) => {
    const { text, vector } = query(from + i);
    return {
      denseTopK: TOP_K,
      sparseTopK: TOP_K,
      ...(!mode.startsWith('sparse') && { vector }),
      ...(!mode.startsWith('dense') && { text }),
      ...(mode.endsWith('filtered') && { filters: inBucket(from + i) }),
    } satisfies ShardQuery;
  });
  for (let first = 0; first < count; first += BATCH) {
    const batch = queries.slice(first, first + BATCH);
    await shards[0]!.idle();
    const started = performance.now();
    const answers = [];
    for (const each of batch) answers.push(await fanOut(shards, each));
    milliseconds.push((performance.now() - started) / batch.length);
    for (const [i, answer] of answers.entries()) {
      const arm = batch[i]!.vector === undefined ? answer.sparse : answer.dense;
      ids.push(arm.map((hit) => hit.id));
      for (const [stage, seconds] of Object.entries(answer.timings)) {
        timings[stage] = (timings[stage] ?? 0) + (1000 * seconds) / count;
      }
    }
  }
  return { milliseconds, ids, timings };
}

async function fanOut(shards: DurableObjectStub<BenchShard>[], query: ShardQuery): Promise<ShardAnswer> {
  const wanted = { ...query };
  const { text } = query;
  if (text !== undefined && shards.length > 1) {
    wanted.statistics = sumStatistics(await Promise.all(shards.map((shard) => shard.statistics(text))));
  }
  return mergeAnswers(await Promise.all(shards.map(async (shard) => await shard.query(wanted))), wanted);
}

function inBucket(number: number): Filters {
  return { condition: 'and', filters: [{ key: 'bucket', operator: '==', value: bucketOf(number) }] };
}
