// How fast a sync is and where its time goes: the real service as its own process, with state of its own.
// npm run bench:sync            documents, small files, short PDFs and a long one, then 10,000 files with 0, 10 and 100 changes
// FILES=1000 npm run bench:sync the same with fewer files in the last part
import { SyncClient, type SyncStatus } from '#test/process/pipelines.ts';
import { Service, sleep } from '#test/process/service.ts';
import { longPdf } from './sync/long-pdf.ts';

const MANY = Number(process.env.FILES ?? 10_000);
const PDF_PAGES = Number(process.env.PAGES ?? 500);
const UPLOADS_AT_ONCE = 8;

const service = new Service();
const client = new SyncClient(service);

const text = (n: number, edition = 1) =>
  `# Note ${n}\n\nEdition ${edition}. ${'The lighthouse of Kestrel Bay burns oil each night. '.repeat(12)}`;

/** A note keeps its id whatever its edition: it goes by its external id. */
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

/** A PDF of three pages whose bytes no other one has. */
function putPdf(n: number): Promise<string> {
  const name = `Report ${String(n).padStart(4, '0')}`;
  const pdf = Buffer.from(longPdf(3)).toString('latin1').replaceAll('Section', name.slice(-7));
  return service.upload(`${name}.pdf`, new Uint8Array(Buffer.from(pdf, 'latin1')));
}

/** Documents that a client puts in, from the call on. */
async function timedDocuments(count: number) {
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

/** Seconds from a document's call until a search finds it, in the pipeline that is being filled and in another one. */
async function foundWhileBusy(count: number) {
  const busy = await client.createPipeline();
  const other = await client.createPipeline();
  const put = (id: string, documents: object[]) =>
    service.call('PUT', `/api/v1/pipelines/${id}/documents`, documents);
  for (let from = 0; from < count; from += 1000) {
    const some = Array.from({ length: 1000 }, (_, n) => ({ id: `${from + n}`, text: text(n), metadata: {} }));
    await put(busy, some);
  }
  const found = async (id: string, word: string) => {
    const start = performance.now();
    await put(id, [{ id: word, text: `The word is ${word}.`, metadata: {} }]);
    while ((await client.search(id, word)).length === 0) await sleep(20);
    return Number(((performance.now() - start) / 1000).toFixed(2));
  };
  const seconds = { 'same pipeline': await found(busy, 'zyzzyva'), another: await found(other, 'quetzal') };
  const { items } = (await client.status(busy)).progress;
  await client.untilFinished(busy, null, 60 * 60_000);
  return { ...seconds, 'still to be done': (items.waiting ?? 0) + (items.running ?? 0) };
}

async function pipelineWith(files: { file_id: string }[]): Promise<string> {
  const id = await client.createPipeline();
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, files);
  return id;
}

async function timed(id: string): Promise<{ seconds: number; status: SyncStatus }> {
  const start = performance.now();
  await service.call('POST', `/api/v1/pipelines/${id}/sync`);
  const status = await client.untilFinished(id, null, 60 * 60_000);
  if (status.status !== 'SUCCESS') throw new Error(JSON.stringify(status));
  return { seconds: (performance.now() - start) / 1000, status };
}

function row(name: string, files: number, { seconds, status }: Awaited<ReturnType<typeof timed>>) {
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
  const rows: ReturnType<typeof row>[] = [];
  await timed(await pipelineWith(await upload(0, 1)));
  rows.push(row('1000 documents', 1000, await timedDocuments(1000)));
  for (const count of [1, 100, 1000]) {
    const id = await pipelineWith(await upload(0, count));
    rows.push(row(`${count} small files`, count, await timed(id)));
  }
  const short = await pipelineWith(await upload(0, 100, putPdf));
  rows.push(row('100 PDFs of 3 pages', 100, await timed(short)));
  const pdf = { file_id: await service.upload('long.pdf', longPdf(PDF_PAGES)) };
  rows.push(row(`one PDF of ${PDF_PAGES} pages`, 1, await timed(await pipelineWith([pdf]))));

  const id = await pipelineWith(await upload(0, MANY));
  rows.push(row(`${MANY} files, all new`, MANY, await timed(id)));
  for (const changed of [0, 10, 100]) {
    for (let n = 0; n < changed; n += 1) await put(n, changed);
    rows.push(row(`${MANY} files, ${changed} changed`, changed, await timed(id)));
  }
  console.table(rows);
  console.log('Seconds until a new document is found while 4,000 others are indexed:');
  console.table(await foundWhileBusy(4000));
  console.log('Stage columns are sums over files that are worked on side by side; seconds are wall-clock.');
} finally {
  await service.end();
}
