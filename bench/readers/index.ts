/**
 * Measures two hundred clients that each send one question after the other over HTTP for a minute: alone,
 * while many documents are written into the same index, and against an empty Worker that works as long for
 * each request. Run:
 * npm run bench:readers -- [--chunks 100000] [--readers 200] [--seconds 60] [--documents 20000]
 */
import { parseArgs } from 'node:util';
import { type ServiceClient, sleep } from '#test/process/service.ts';
import { query } from '../search/data.ts';
import { HTTP_MODES, HttpService } from '../search/http.ts';
import { fixed, percentile, printTable, type Row } from '../search/measure.ts';
import { QueryClient } from '../search/query-client.ts';
import { EmptyWorker } from './empty-worker.ts';

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    readers: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    documents: { type: 'string', default: '20000' },
  },
});
const chunks = Number(options.chunks);
const readers = Number(options.readers);
const seconds = Number(options.seconds);
const documents = Number(options.documents);

const DOCUMENTS_PER_CALL = 1_000;
const CHARACTERS = 600;
/** Number of the first question. Smaller numbers are the questions of bench:search. */
const FIRST_QUESTION = 10_000;

const index = new HttpService();
const rows: Row[] = [];
let questionCount = 0;

/** Lets all readers query the index first, because the first answers wait until the index is loaded. */
const runWarmUp = () => read('warm-up', sleep(5_000));

await index.start();
try {
  const filled = await index.fill(chunks);
  console.log(`${chunks} chunks indexed in ${fixed(filled)} s`);
  await runWarmUp();
  rows.push(await read('nothing else', sleep(1000 * seconds)));
  const alone = await write('alone', documents);
  const beside = write('beside', documents);
  rows.push(await read(`${documents} documents written`, Promise.all([beside, sleep(1000 * seconds)])));
  const found = await Promise.all([describeFound('alone'), describeFound('beside')]);
  console.log(
    `${documents} documents were written in ${fixed(alone)} s alone and in ${fixed(await beside)} s during the queries; ` +
      `found afterwards: ${found.join(', ')}`,
  );
} finally {
  await index.end();
}
const emptyWorker = new EmptyWorker();
try {
  await emptyWorker.start();
  const work = Math.round((1000 * Number(rows[0]!.seconds)) / Number(rows[0]!.answers));
  await read('warm-up', sleep(2_000), emptyWorker, `/${work}`);
  rows.push(await read(`an empty Worker, ${work} ms each`, sleep(1000 * seconds), emptyWorker, `/${work}`));
} finally {
  await emptyWorker.end();
}
printTable(rows);
process.exit(0);

/** Lets all readers send questions until the promise settles. */
async function read(
  beside: string,
  until: Promise<unknown>,
  service: ServiceClient = index.service,
  path = `${index.path}/retrieve`,
): Promise<Row> {
  const client = new QueryClient(service, readers);
  const milliseconds: number[] = [];
  const errors = new Map<string, number>();
  const started = performance.now();
  let isOver = false;
  const end = until.finally(() => {
    isOver = true;
  });
  const reader = async () => {
    while (!isOver) {
      const from = performance.now();
      const body = {
        query: query(FIRST_QUESTION + questionCount++).text,
        dense_similarity_top_k: 10,
        sparse_similarity_top_k: 10,
        ...HTTP_MODES.hybrid,
      };
      const failure = await client.ask(path, body);
      milliseconds.push(performance.now() - from);
      if (failure !== undefined) errors.set(failure, (errors.get(failure) ?? 0) + 1);
    }
  };
  await Promise.all([end, ...Array.from({ length: readers }, reader)]);
  const elapsed = (performance.now() - started) / 1000;
  client.end();
  return {
    beside,
    seconds: fixed(elapsed),
    answers: milliseconds.length,
    'per second': fixed(milliseconds.length / elapsed),
    'p50 ms': fixed(percentile(milliseconds, 0.5)),
    'p95 ms': fixed(percentile(milliseconds, 0.95)),
    'p99 ms': fixed(percentile(milliseconds, 0.99)),
    errors: [...errors].map(([failure, times]) => `${times} x ${failure}`).join('; ') || 0,
  };
}

/** Writes documents and returns the seconds until all of them are indexed. */
async function write(name: string, count: number): Promise<number> {
  const started = performance.now();
  for (let from = 0; from < count; from += DOCUMENTS_PER_CALL) {
    const batch = Array.from({ length: Math.min(DOCUMENTS_PER_CALL, count - from) }, (_, i) => ({
      id: `${name} ${from + i}`,
      text: query(1_000_000 + from + i).text.padEnd(CHARACTERS, ` ${name}`),
      metadata: { written: name },
    }));
    await index.service.call('PUT', `${index.path}/documents`, batch);
  }
  await index.sync();
  return (performance.now() - started) / 1000;
}

/** Reports if the written documents can be found. */
async function describeFound(name: string): Promise<string> {
  const filters = [{ key: 'written', operator: '==', value: name }];
  const body = {
    query: name,
    search_filters: { filters },
    dense_similarity_top_k: 10,
    enable_reranking: false,
  };
  const answer = await index.service.call<{ retrieval_nodes: unknown[] }>(
    'POST',
    `${index.path}/retrieve`,
    body,
  );
  return `${answer.retrieval_nodes.length > 0 ? 'yes' : 'no'} (${name})`;
}
