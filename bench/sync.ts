// How fast a sync is and where its time goes: the real service as its own process, with state of its own.
// npm run bench:sync            small files and one long PDF, then 10,000 files with 0, 10 and 100 changes
// FILES=1000 npm run bench:sync the same with fewer files in the last part
import { SyncClient, type SyncStatus } from '#test/process/pipelines.ts';
import { Service } from '#test/process/service.ts';
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

async function upload(from: number, to: number): Promise<{ file_id: string }[]> {
  const files: { file_id: string }[] = [];
  let next = from;
  const worker = async () => {
    for (let n = next++; n < to; n = next++) {
      files.push({ file_id: await put(n) });
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, worker));
  return files;
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
  for (const count of [1, 100, 1000]) {
    const id = await pipelineWith(await upload(0, count));
    rows.push(row(`${count} small files`, count, await timed(id)));
  }
  const pdf = { file_id: await service.upload('long.pdf', longPdf(PDF_PAGES)) };
  rows.push(row(`one PDF of ${PDF_PAGES} pages`, 1, await timed(await pipelineWith([pdf]))));

  const id = await pipelineWith(await upload(0, MANY));
  rows.push(row(`${MANY} files, all new`, MANY, await timed(id)));
  for (const changed of [0, 10, 100]) {
    for (let n = 0; n < changed; n += 1) await put(n, changed);
    rows.push(row(`${MANY} files, ${changed} changed`, changed, await timed(id)));
  }
  console.table(rows);
  console.log('Stage columns are sums over files that are worked on side by side; seconds are wall-clock.');
} finally {
  await service.end();
}
