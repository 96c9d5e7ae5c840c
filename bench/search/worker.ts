import { isolateMemory } from '../../durable-objects/search-shard/isolate-memory.ts';
import { SearchShard } from '../../durable-objects/search-shard.ts';
import type { Filters } from '../../src/ports/index-types.ts';
import type { Shard, ShardQuery } from '../../src/ports/shard.ts';
import { queryShards } from '../../src/search/fan-out.ts';
import { CHUNKS_PER_DOCUMENT, chunk, getBucket, query } from './data.ts';

const TOP_K = 10;
const IN_FLIGHT = 8;
/** Number of chunks that are created at a time before the measurement. */
const CHUNKS_AT_ONCE = 4_000;
/**
 * Number of queries that are timed together, because the clock of the runtime has a resolution of
 * milliseconds.
 */
const BATCH = 10;

export class BenchShard extends SearchShard {
  #busy = false;

  override async alarm(): Promise<void> {
    this.#busy = true;
    await super.alarm().finally(() => {
      this.#busy = false;
    });
  }

  sleep(): void {
    this.ctx.abort('asleep');
  }

  async idle(): Promise<boolean> {
    return !this.#busy && (await this.ctx.storage.getAlarm()) === null;
  }
}

type Stub = DurableObjectStub<BenchShard>;

interface Env {
  SHARD: DurableObjectNamespace<BenchShard>;
}

/**
 * Same cast as in src/work/objects.ts, because Cloudflare's stub types lose information about optional
 * members.
 */
const toShard = (stub: Stub) => stub as unknown as Shard;

/** Drives the shards from inside the runtime, so that only the object calls are timed. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    const shards = (url.searchParams.get('shards') ?? '').split(',').map((name) => env.SHARD.getByName(name));
    const number = (name: string) => Number(url.searchParams.get(name));
    const mode = url.searchParams.get('mode') ?? '';
    switch (url.pathname) {
      case '/load':
        return Response.json(
          await load(shards[0]!, number('from'), number('to'), number('size') || CHUNKS_PER_DOCUMENT),
        );
      case '/remove':
        await shards[0]!.remove(documentIds(number('from'), number('to')), 2);
        return Response.json(null);
      case '/settled':
        return Response.json((await Promise.all(shards.map((shard) => shard.idle()))).every(Boolean));
      case '/stats':
        return Response.json(await Promise.all(shards.map((shard) => shard.stats())));
      case '/ids':
        return Response.json(shards.map((shard) => shard.id.toString()));
      case '/memory':
        return Response.json({ bytes: isolateMemory.bytes, ...isolateMemory.counts });
      case '/sleep':
        await Promise.allSettled(shards.map((shard) => shard.sleep()));
        return Response.json(null);
      case '/query':
        return Response.json(await ask(shards, mode, number('from'), number('count')));
      case '/query-until-settled':
        return Response.json(await askUntilSettled(shards, mode));
      default:
        return new Response(null, { status: 404 });
    }
  },
};

/** Writes several documents at the same time, as an ingestion with several consumers does. */
async function load(shard: Stub, from: number, to: number, size: number): Promise<{ seconds: number }> {
  let seconds = 0;
  const documents: ReturnType<typeof buildDocument>[] = [];
  const write = async () => {
    await shard.idle();
    const started = performance.now();
    for (let i = 0; i < documents.length; i += IN_FLIGHT) {
      await Promise.all(
        documents
          .slice(i, i + IN_FLIGHT)
          .map(({ document, chunks }) => shard.stage(document, chunks, chunks.length)),
      );
    }
    // The next call is answered only after the last commit.
    await shard.idle();
    seconds += (performance.now() - started) / 1000;
    documents.length = 0;
    // Alarms can run only while the runtime waits.
    await scheduler.wait(1);
  };
  for (let at = from; at < to; at += size) {
    documents.push(buildDocument(at, Math.min(size, to - at), at / size));
    if (documents.length * size >= CHUNKS_AT_ONCE) await write();
  }
  await write();
  return { seconds };
}

const buildDocumentId = (number: number) => `document ${number}`;

function documentIds(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => buildDocumentId(from + i));
}

function buildDocument(first: number, size: number, number: number) {
  const documentId = buildDocumentId(number);
  const metadata = { bucket: getBucket(number), year: 2000 + (number % 25) };
  const chunks = Array.from({ length: size }, (_, position) => {
    const { text, vector } = chunk(first + position);
    const id = String(first + position);
    return { id, position, text, vector, language: 'en', startChar: 0, endChar: text.length, hash: id };
  });
  return { document: { documentId, version: 1, title: documentId, metadata }, chunks };
}

function buildQuery(mode: string, number: number): ShardQuery {
  const { text, vector } = query(number);
  return {
    denseTopK: TOP_K,
    sparseTopK: TOP_K,
    ...(!mode.startsWith('sparse') && { vector }),
    ...(!mode.startsWith('dense') && { text }),
    ...(mode.endsWith('filtered') && { filters: inBucket(number) }),
  };
}

async function ask(
  stubs: Stub[],
  mode: string,
  from: number,
  count: number,
): Promise<{ milliseconds: number[]; ids: string[][]; timings: Record<string, number> }> {
  const shards = stubs.map(toShard);
  const milliseconds: number[] = [];
  const ids: string[][] = [];
  const timings: Record<string, number> = {};
  const queries = Array.from({ length: count }, (_, i) => buildQuery(mode, from + i));
  for (let first = 0; first < count; first += BATCH) {
    const batch = queries.slice(first, first + BATCH);
    await stubs[0]!.idle();
    const started = performance.now();
    const answers = [];
    for (const each of batch) answers.push(await queryShards(shards, each));
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

/** Measures single queries to show how long the upkeep of a shard delays them. */
async function askUntilSettled(
  stubs: Stub[],
  mode: string,
): Promise<{ milliseconds: number[]; seconds: number }> {
  const shards = stubs.map(toShard);
  const milliseconds: number[] = [];
  const began = performance.now();
  for (let i = 0; ; i++) {
    const asked = buildQuery(mode, i);
    const started = performance.now();
    await queryShards(shards, asked);
    milliseconds.push(performance.now() - started);
    await scheduler.wait(1);
    const settled = await Promise.all(stubs.map((stub) => stub.idle()));
    if (settled.every(Boolean)) return { milliseconds, seconds: (performance.now() - began) / 1000 };
  }
}

function inBucket(number: number): Filters {
  return { condition: 'and', filters: [{ key: 'bucket', operator: '==', value: getBucket(number) }] };
}
