import { createLogger } from '../../src/lib/log.ts';
import { splitIntoBatches, toPoints } from '../../src/sinks/external/points.ts';
import type { SearchScope } from '../../src/sinks/external/vector-store.ts';
import pgvector from '../../src/sinks/pgvector/pgvector.ts';
import { PgvectorStore } from '../../src/sinks/pgvector/store.ts';
import { CHUNKS_PER_DOCUMENT, chunk, DIMENSION, getBucket, query } from '../search/data.ts';

const TOP_K = 10;
/** Number of documents that are created at a time before the measurement. */
const DOCUMENTS_AT_ONCE = 20;

/** Drives the store of an external sink from inside the runtime, so that only its calls are timed. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const number = (name: string) => Number(searchParams.get(name));
    const settings = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 600 };
    const component = pgvector.settings.parse(JSON.parse(searchParams.get('component')!));
    const store = new PgvectorStore(component, { fetch, log: createLogger(), settings, indexId: 'bench' });
    if (pathname === '/load') {
      await store.ensure(DIMENSION);
      return Response.json({ seconds: await load(store, number('from'), number('to')) });
    }
    return Response.json(
      await ask(store, searchParams.get('mode')!, number('from'), number('count'), number('size')),
    );
  },
};

type Store = PgvectorStore;

const buildDocumentId = (number: number) => `document ${number}`;

async function load(store: Store, from: number, to: number): Promise<number> {
  let seconds = 0;
  for (let first = from; first < to; first += DOCUMENTS_AT_ONCE * CHUNKS_PER_DOCUMENT) {
    const points = [];
    for (
      let at = first;
      at < Math.min(to, first + DOCUMENTS_AT_ONCE * CHUNKS_PER_DOCUMENT);
      at += CHUNKS_PER_DOCUMENT
    ) {
      points.push(...(await buildPoints(at)));
    }
    await scheduler.wait(1);
    const started = performance.now();
    for (const batch of splitIntoBatches(points, store.limits)) await store.upsert(batch);
    seconds += (performance.now() - started) / 1000;
  }
  return seconds;
}

function buildPoints(first: number) {
  const number = first / CHUNKS_PER_DOCUMENT;
  const documentId = buildDocumentId(number);
  const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, position) => {
    const { text, vector } = chunk(first + position);
    const id = String(first + position);
    return { id, position, text, vector, language: 'en', startChar: 0, endChar: text.length, hash: id };
  });
  const metadata = { bucket: getBucket(number), year: 2000 + (number % 25) };
  return toPoints('bench', { documentId, version: 1, title: documentId, metadata }, chunks);
}

/**
 * Returns the scope of a query. `few`: the documents of one bucket. `some`: the documents of one year, a
 * twenty-fifth of all. Other modes have no limit.
 */
function buildScope(mode: string, number: number, size: number): SearchScope {
  if (mode === 'some') return { preFilter: { key: 'year', oneOf: [2000 + (number % 25)] } };
  if (mode !== 'few') return {};
  const documents = size / CHUNKS_PER_DOCUMENT;
  const all = Array.from({ length: documents }, (_, i) => i);
  const bucket = getBucket(number % documents);
  return { documentIds: all.filter((each) => getBucket(each) === bucket).map(buildDocumentId) };
}

async function ask(store: Store, mode: string, from: number, count: number, size: number) {
  const milliseconds: number[] = [];
  const ids: string[][] = [];
  for (let i = from; i < from + count; i++) {
    const { vector } = query(i);
    const scope = buildScope(mode, i, size);
    await scheduler.wait(1);
    const started = performance.now();
    const found = await store.query(vector, TOP_K, scope);
    milliseconds.push(performance.now() - started);
    ids.push(
      found.map(({ documentId, position }) =>
        String(Number(documentId.slice('document '.length)) * CHUNKS_PER_DOCUMENT + position),
      ),
    );
  }
  return { milliseconds, ids };
}
