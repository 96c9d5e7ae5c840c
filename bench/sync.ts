// Measures the speed of a sync and the time of its stages. The real service runs as a separate process with
// its own state.
//
// npm run bench:sync              documents, small files, short PDFs and a long one, then 10,000 files with
// 0, 10 and 100 changes
// FILES=1000 npm run bench:sync   the same with fewer files in the last part
// COUNT=1000000 npm run bench:sync lines  documents in one stream of JSON Lines, with memory over time
// COUNT=3000 npm run bench:sync files  small files: uploads and indexing, with processor time for each file
// npm run bench:sync found        only the time until new data is found during a large sync
import { SyncClient, type SyncStatus } from '#test/process/pipelines.ts';
import { Service, sleep } from '#test/process/service.ts';
import { printFiles } from './sync/files.ts';
import { printLines } from './sync/lines.ts';
import { longPdf } from './sync/long-pdf.ts';

const MANY = Number(process.env.FILES ?? 10_000);
const PDF_PAGES = Number(process.env.PAGES ?? 500);
const COUNT = Number(process.env.COUNT ?? 20_000);
const UPLOADS_AT_ONCE = 8;

const service = new Service();
const client = new SyncClient(service);

const text = (n: number, edition = 1) =>
  `# Note ${n}\n\nEdition ${edition}. ${'The lighthouse of Kestrel Bay burns oil each night. '.repeat(12)}`;

/** Uploads a note. All editions of a note have the same external id, so the file keeps its id. */
async function put(n: number, edition = 1): Promise<string> {
  const form = new FormData();
  form.append('upload_file', new File([text(n, edition)], `note-${n}.md`));
  const path = `/api/v1/files?external_file_id=note-${n}`;
  return (await service.call<{ id: string }>('POST', path, form)).id;
}

async function upload(from: number, to: number, one = put): Promise<{ file_id: string }[]> {
  const files: { file_id: string }[] = [];
  let next = from;
  const worker = async () => {
    for (let n = next++; n < to; n = next++) {
      files.push({ file_id: await one(n) });
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
  return files;
}

/** Uploads a PDF of three pages with unique bytes. */
function putPdf(n: number): Promise<string> {
  const name = `Report ${String(n).padStart(4, '0')}`;
  const pdf = Buffer.from(longPdf(3)).toString('latin1').replaceAll('Section', name.slice(-7));
  return service.upload(`${name}.pdf`, new Uint8Array(Buffer.from(pdf, 'latin1')));
}

/** Measures the indexing of documents, starting with the API call. */
async function measureDocuments(count: number) {
  const id = await client.createPipeline();
  const documents = Array.from({ length: count }, (_, n) => ({
    id: `note-${n}`,
    text: text(n),
    metadata: { n },
  }));
  const start = performance.now();
  await service.call('PUT', `/api/v1/pipelines/${id}/documents`, documents);
  const status = await client.untilFinished(id, null, 60 * 60_000);
  if (status.status !== 'SUCCESS') throw new Error(JSON.stringify(status));
  return { seconds: (performance.now() - start) / 1000, status };
}

const KINDS = [
  'document, same pipeline',
  'document, another',
  'file, same pipeline',
  'file, another',
] as const;

/**
 * Measures the seconds until a search finds a document (since its call) or a file (since its upload).
 * Thousands of documents are written into one pipeline at the same time. Both this pipeline and another one
 * are measured.
 */
async function printSearchDelays(rounds: number): Promise<void> {
  const busy = await client.createPipeline();
  const other = await client.createPipeline();
  const put = (id: string, documents: object[]) =>
    service.call('PUT', `/api/v1/pipelines/${id}/documents`, documents);
  let isFilling = true;
  let filled = 0;
  /** Keeps a backlog, but a small one, because the calls that fill it are not part of a sync. */
  const filler = (async () => {
    while (isFilling) {
      const items = (await client.status(busy)).progress?.items;
      if ((items?.waiting ?? 0) + (items?.running ?? 0) > 2000) {
        await sleep(50);
        continue;
      }
      for (let n = 0; n < 1000; n += 500, filled += 500) {
        const ids = Array.from({ length: 500 }, (_, each) => `${filled + each}`);
        await put(
          busy,
          ids.map((id) => ({ id, text: text(Number(id)), metadata: {} })),
        );
      }
    }
  })();
  const sentence = (word: string) => `The word is ${word}.`;
  const document = (id: string, word: string) =>
    put(id, [{ id: word, text: sentence(word), metadata: {} }]).then(() => {});
  const file = async (id: string, word: string) => {
    const file_id = await service.upload(`${word}.txt`, new TextEncoder().encode(sentence(word)));
    await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  };
  const found = async (add: typeof file, id: string) => {
    const word = `word${crypto.randomUUID().slice(0, 8)}`;
    const start = performance.now();
    await add(id, word);
    while ((await client.search(id, word)).length === 0) await sleep(20);
    return (performance.now() - start) / 1000;
  };
  await sleep(3000);
  const seconds = KINDS.map((): number[] => []);
  for (let n = 0; n < rounds; n += 1) {
    seconds[0]!.push(await found(document, busy));
    seconds[1]!.push(await found(document, other));
    seconds[2]!.push(await found(file, busy));
    seconds[3]!.push(await found(file, other));
  }
  isFilling = false;
  await filler;
  await client.untilFinished(busy, null, 60 * 60_000);
  console.log(`Seconds until what is new is found while ${filled} documents come in and are indexed:`);
  const rows = seconds.map((some, kind) => {
    const sorted = some.toSorted((x, y) => x - y).map((value) => Number(value.toFixed(2)));
    return [KINDS[kind]!, { median: sorted[sorted.length >> 1], least: sorted[0], most: sorted.at(-1) }];
  });
  console.table(Object.fromEntries(rows));
}

async function createPipelineWith(files: { file_id: string }[]): Promise<string> {
  const id = await client.createPipeline();
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, files);
  return id;
}

async function measureSync(id: string): Promise<{ seconds: number; status: SyncStatus }> {
  const start = performance.now();
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  const status = await client.untilFinished(id, null, 60 * 60_000);
  if (status.status !== 'SUCCESS') throw new Error(JSON.stringify(status));
  return { seconds: (performance.now() - start) / 1000, status };
}

function row(name: string, files: number, { seconds, status }: Awaited<ReturnType<typeof measureSync>>) {
  const { counters } = status.progress;
  const s = (key: string) => Number(((counters[key] ?? 0) / 1000).toFixed(2));
  return {
    case: name,
    seconds: Number(seconds.toFixed(2)),
    'files/s': Number((files / seconds).toFixed(1)),
    'pages/s': Number(((counters.pages ?? 0) / seconds).toFixed(1)),
    indexed: counters.indexed ?? 0,
    parse_s: s('parse_ms'),
    chunk_s: s('chunk_ms'),
    embed_s: s('embed_ms'),
    write_s: s('write_ms'),
  };
}

await service.start();
try {
  if (process.argv[2] === 'found') await printSearchDelays(12);
  else if (process.argv[2] === 'files') await printFiles(service, client, COUNT, upload);
  else if (process.argv[2] === 'lines') await printLines(service, client, COUNT, text);
  else await printRates();
} finally {
  await service.end();
}

async function printRates(): Promise<void> {
  const rows: ReturnType<typeof row>[] = [];
  await measureSync(await createPipelineWith(await upload(0, 1)));
  rows.push(row('1000 documents', 1000, await measureDocuments(1000)));
  for (const count of [1, 100, 1000]) {
    const id = await createPipelineWith(await upload(0, count));
    rows.push(row(`${count} small files`, count, await measureSync(id)));
  }
  const short = await createPipelineWith(await upload(0, 100, putPdf));
  rows.push(row('100 PDFs of 3 pages', 100, await measureSync(short)));
  const pdf = { file_id: await service.upload('long.pdf', longPdf(PDF_PAGES)) };
  rows.push(row(`one PDF of ${PDF_PAGES} pages`, 1, await measureSync(await createPipelineWith([pdf]))));

  const id = await createPipelineWith(await upload(0, MANY));
  rows.push(row(`${MANY} files, all new`, MANY, await measureSync(id)));
  for (const changed of [0, 10, 100]) {
    for (let n = 0; n < changed; n += 1) await put(n, changed);
    rows.push(row(`${MANY} files, ${changed} changed`, changed, await measureSync(id)));
  }
  console.table(rows);
  await printSearchDelays(3);
  console.log('Stage columns are sums over files that are worked on side by side; seconds are wall-clock.');
}
