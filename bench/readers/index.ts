/**
 * Two hundred clients that each ask one question after the other over HTTP, for a minute; and the same while many
 * documents are written into the same index; and what as many get of an empty Worker that works as long for each. Run:
 * npm run bench:readers -- [--chunks 100000] [--readers 200] [--seconds 60] [--documents 20000]
 */
import { parseArgs } from 'node:util';
import { type ServiceClient, sleep } from '#test/process/service.ts';
import { Asker } from '../search/asker.ts';
import { query } from '../search/data.ts';
import { HTTP_MODES, HttpService } from '../search/http.ts';
import { fixed, percentile, printTable, type Row } from '../search/measure.ts';
import { Floor } from './floor.ts';

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
/** The first numbers of questions are those of bench:search. */
const FIRST_QUESTION = 10_000;

const index = new HttpService();
const rows: Row[] = [];
let asked = 0;

/** Until every reader has asked: the first answers wait for the index to wake. */
const warmUp = () => read('warm-up', sleep(5_000));

await index.start();
try {
  const filled = await index.fill(chunks);
  console.log(`${chunks} chunks indexed in ${fixed(filled)} s`);
  await warmUp();
  rows.push(await read('nothing else', sleep(1000 * seconds)));
  const alone = await write('alone', documents);
  const beside = write('beside', documents);
  rows.push(await read(`${documents} documents written`, Promise.all([beside, sleep(1000 * seconds)])));
  const found = await Promise.all([foundOf('alone'), foundOf('beside')]);
  console.log(
    `${documents} documents were written in ${fixed(alone)} s alone and in ${fixed(await beside)} s beside the readers; ` +
      `found afterwards: ${found.join(', ')}`,
  );
} finally {
  await index.end();
}
const floor = new Floor();
try {
  await floor.start();
  const work = Math.round((1000 * Number(rows[0]!.seconds)) / Number(rows[0]!.answers));
  await read('warm-up', sleep(2_000), floor, `/${work}`);
  rows.push(await read(`an empty Worker, ${work} ms each`, sleep(1000 * seconds), floor, `/${work}`));
} finally {
  await floor.end();
}
printTable(rows);
process.exit(0);

/** Has all readers ask until it ends. */
async function read(
  beside: string,
  until: Promise<unknown>,
  service: ServiceClient = index.service,
  path = `${index.path}/retrieve`,
): Promise<Row> {
  const asker = new Asker(service, readers);
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
        query: query(FIRST_QUESTION + asked++).text,
        dense_similarity_top_k: 10,
        sparse_similarity_top_k: 10,
        ...HTTP_MODES.hybrid,
      };
      const failure = await asker.ask(path, body);
      milliseconds.push(performance.now() - from);
      if (failure !== undefined) errors.set(failure, (errors.get(failure) ?? 0) + 1);
    }
  };
  await Promise.all([end, ...Array.from({ length: readers }, reader)]);
  const elapsed = (performance.now() - started) / 1000;
  asker.end();
  return {
    beside,
    seconds: fixed(elapsed),
    answers: milliseconds.length,
    'a second': fixed(milliseconds.length / elapsed),
    'p50 ms': fixed(percentile(milliseconds, 0.5)),
    'p95 ms': fixed(percentile(milliseconds, 0.95)),
    'p99 ms': fixed(percentile(milliseconds, 0.99)),
    errors: [...errors].map(([failure, times]) => `${times} x ${failure}`).join('; ') || 0,
  };
}

/** Answers the seconds until all are found. */
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

/** Whether what was written can be found. */
async function foundOf(name: string): Promise<string> {
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
