/**
 * Starts a server with an empty state, follows the tour of the README, and prints the duration of the start
 * and the memory of each process: after the start, after the tour, and after a pause in which idle parsers
 * end.
 * Memory is the proportional set size (PSS), in which a page shared by several processes counts only once.
 * Linux only.
 * Run: npm run bench:tour
 */
import { readFileSync } from 'node:fs';
import { SyncClient } from '#test/process/pipelines.ts';
import { proportionalMemoryByProcess } from '#test/process/runtimes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { fixed, printTable, type Row } from './search/measure.ts';

/** Duration in milliseconds. It is longer than the server keeps an idle parser process. */
const REST_MS = 75_000;
const SETTLE_MS = 5_000;

const service = new Service();
const rows: Row[] = [];

const begun = performance.now();
await service.start();
const startSeconds = (performance.now() - begun) / 1000;
try {
  await recordMemory('after the start', SETTLE_MS);
  await followTour();
  await recordMemory('after the tour', SETTLE_MS);
  await recordMemory('after a rest', REST_MS);
} finally {
  await service.end();
}
console.log(`start: ${fixed(startSeconds)} s`);
printTable(rows);
process.exit(0);

async function followTour(): Promise<void> {
  const sync = new SyncClient(service);
  const manual = new Uint8Array(readFileSync('examples/harbour-manual.pdf'));
  const file_id = await service.upload('harbour-manual.pdf', manual);
  const id = await sync.createPipeline({
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence' },
    },
  });
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  const { status } = await sync.untilFinished(id);
  if (status !== 'SUCCESS') throw new Error(`The tour's file ended with ${status}.`);
  await service.call('POST', `/api/v1/pipelines/${id}/retrieve`, { query: 'Who keeps the lighthouse?' });
  const messages = [{ role: 'user', content: 'How deep is the north quay?' }];
  const answer = await service.fetch('POST', `/api/v1/pipelines/${id}/chat`, { messages });
  await answer.text();
  await service.bytes(`/api/v1/files/${file_id}/page_screenshots/1`);
}

async function recordMemory(when: string, waitMs: number): Promise<void> {
  await sleep(waitMs);
  const memory = proportionalMemoryByProcess(service);
  const total = Object.values(memory).reduce((sum, mib) => sum + mib, 0);
  const cells = Object.entries({ ...memory, total }).map(([name, mib]) => [`${name}, MiB`, Math.round(mib)]);
  rows.push({ when, ...Object.fromEntries(cells) });
}
