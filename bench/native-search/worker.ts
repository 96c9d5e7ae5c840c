import { SearchShard } from '../../durable-objects/search-shard.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { SinkQuery } from '../../src/ports/index-types.ts';
import type { Shard } from '../../src/ports/shard.ts';
import type { Sink } from '../../src/ports/sink.ts';
import type { Range, ShardDirectory } from '../../src/sinks/managed/shard-directory.ts';
import type { VersionLedger } from '../../src/sinks/native/ledger/version-ledger.ts';
import { openDriver } from '../../src/sinks/open-driver.ts';
import pgvector from '../../src/sinks/pgvector/pgvector.ts';
import { CHUNKS_PER_DOCUMENT, chunk, DIMENSION, getBucket, query } from '../search/data.ts';

const TOP_K = 10;
const DOCUMENTS_AT_ONCE = 5;

export class BenchShard extends SearchShard {}

interface Env {
  SHARD: DurableObjectNamespace<BenchShard>;
}

/** Keeps in memory what the service stores in its database. */
class Directory implements ShardDirectory {
  count = 1;
  open = 0;
  readonly #ranges = new Map<string, Range>();
  async refresh() {}
  async assign(documentIds: string[]) {
    return documentIds.map((id) => {
      const range = this.#ranges.get(id) ?? { first: this.open, last: this.open };
      this.#ranges.set(id, range);
      return range;
    });
  }
  async findRange(documentId: string) {
    return this.#ranges.get(documentId);
  }
  async extend(documentId: string, last: number) {
    this.count = Math.max(this.count, last + 1);
    this.#ranges.set(documentId, { ...this.#ranges.get(documentId)!, last });
  }
  async replaceOpen(full: number, next: number) {
    if (this.open !== full) return;
    this.open = next;
    this.count = Math.max(this.count, next + 1);
  }
  async sampleIndexed() {
    return [];
  }
}

/** PostgreSQL has transactions, so that its driver asks no ledger. */
const noLedger = new Proxy({} as VersionLedger, {
  get() {
    throw new Error('The ledger was asked.');
  },
});

const directories: Record<string, Directory> = {};

/** Opens an index in one of the two modes, and drives it from inside the runtime, so that only its calls are timed. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const component = pgvector.settings.parse(JSON.parse(searchParams.get('component')!));
    const indexId = `bench ${component.table_name}`;
    directories[indexId] ??= new Directory();
    const sink = openDriver(pgvector, component, {
      fetch: (input, init) => fetch(input, init),
      log: createLogger(),
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 3600 },
      indexId,
      directory: directories[indexId],
      ledger: noLedger,
      objects: {
        // Same cast as in src/work/objects.ts.
        searchShard: (index, shard) => env.SHARD.getByName(`${index}/${shard}`) as unknown as Shard,
        hasVectorCopies: false,
      },
    });
    if (pathname === '/load') return Response.json(await load(sink, number('from'), number('to')));
    if (pathname === '/ensure') {
      await sink.ensure(DIMENSION);
      return Response.json(null);
    }
    if (pathname === '/stats') return Response.json(await sink.stats());
    return Response.json(await ask(sink, searchParams.get('mode')!, number('from'), number('count')));
  },
};

async function load(sink: Sink, from: number, to: number): Promise<{ seconds: number }> {
  await sink.ensure(DIMENSION);
  let seconds = 0;
  const size = DOCUMENTS_AT_ONCE * CHUNKS_PER_DOCUMENT;
  for (let first = from; first < to; first += size) {
    const documents = Array.from({ length: DOCUMENTS_AT_ONCE }, (_, at) =>
      buildDocument(first + at * CHUNKS_PER_DOCUMENT),
    );
    await scheduler.wait(1);
    const started = performance.now();
    const published = await sink.publishMany(documents);
    seconds += (performance.now() - started) / 1000;
    for (const each of published) if (each.status === 'rejected') throw each.reason;
  }
  return { seconds };
}

function buildDocument(first: number) {
  const number = first / CHUNKS_PER_DOCUMENT;
  const documentId = `document ${number}`;
  const metadata = { bucket: getBucket(number), year: 2000 + (number % 25) };
  const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, position) => {
    const { text, vector } = chunk(first + position);
    const id = String(first + position);
    return { id, position, text, vector, language: 'en', startChar: 0, endChar: text.length, hash: id };
  });
  return { document: { documentId, version: 1, title: '', metadata }, chunks };
}

function buildQuery(mode: string, number: number): SinkQuery {
  const { text, vector } = query(number);
  const [arms, filter] = mode.split(' ');
  const year: SinkQuery['filters'] = {
    condition: 'and',
    filters: [{ key: 'year', operator: '==', value: 2000 + (number % 25) }],
  };
  return {
    denseTopK: TOP_K,
    sparseTopK: TOP_K,
    ...(arms !== 'sparse' && { vector }),
    ...(arms !== 'dense' && { text }),
    ...(filter && { filters: year }),
  };
}

async function ask(sink: Sink, mode: string, from: number, count: number) {
  const milliseconds: number[] = [];
  const ids: string[][] = [];
  for (let i = from; i < from + count; i++) {
    const asked = buildQuery(mode, i);
    await scheduler.wait(1);
    const started = performance.now();
    const { dense, sparse } = await sink.query(asked);
    milliseconds.push(performance.now() - started);
    ids.push((asked.vector ? dense : sparse).map(({ id }) => id));
  }
  return { milliseconds, ids };
}
