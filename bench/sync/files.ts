import type { SyncClient } from '#test/process/pipelines.ts';
import type { Service } from '#test/process/service.ts';
import { readProcessorMs } from '../cost/processor.ts';

/** Measures the elapsed time and the processor time of the service during `work`. */
async function measure(work: () => Promise<unknown>) {
  const start = performance.now();
  const before = readProcessorMs();
  await work();
  return { seconds: (performance.now() - start) / 1000, milliseconds: readProcessorMs() - before };
}

/**
 * Uploads `count` small files one by one and indexes them together. Prints files per second and processor time
 * for each file, apart for uploads and for indexing.
 */
export async function printFiles(
  service: Service,
  client: SyncClient,
  count: number,
  upload: (from: number, to: number) => Promise<{ file_id: string }[]>,
) {
  const id = await client.createPipeline();
  let files: { file_id: string }[] = [];
  const uploading = await measure(async () => {
    files = await upload(0, count);
  });
  const indexing = await measure(async () => {
    await service.call('PUT', `/api/v1/pipelines/${id}/files`, files);
    const status = await client.untilFinished(id, null, 60 * 60_000);
    if (status.status !== 'SUCCESS') throw new Error(JSON.stringify(status));
  });
  for (const [what, { seconds, milliseconds }] of Object.entries({ uploading, indexing })) {
    const each = (milliseconds / count).toFixed(2);
    console.log(`${what} ${count} files: ${Math.round(count / seconds)}/s, ${each} ms of CPU time each`);
  }
}
