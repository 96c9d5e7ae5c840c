import { readFileSync } from 'node:fs';
import { SyncClient } from '../../../test/process/pipelines.ts';
import type { ServiceClient } from '../../../test/process/service.ts';

export interface Furnished {
  pipelineId: string;
  /** Id of the PDF of the tour, which is in the index. */
  fileId: string;
  projectFileId: string;
}

const NOTES = {
  'tide-tables.md':
    '# Tide tables\n\n| day | high water | low water |\n|---|---|---|\n| Monday | 04:12 | 10:31 |\n| Tuesday | 04:58 | 11:17 |\n\nHeights are in metres above chart datum.',
  'pilot-rota.csv': 'pilot,from,to\nAda Brandt,2026-11-01,2026-11-07\nJon Vik,2026-11-08,2026-11-14\n',
  'notice-of-works.txt':
    'The eastern basin is closed for dredging from 3 to 9 December. Vessels berth at the north quay and pay no surcharge.',
  'damaged.pdf': '%PDF-1.7 this is not the rest of one',
} as const;

/** Prepares a service with an index of a few files, one of which cannot be read, and with an empty index. */
export async function furnish(service: ServiceClient): Promise<Furnished> {
  const client = new SyncClient(service);
  const manual = readFileSync('examples/harbour-manual.pdf');
  const fileId = await service.upload('harbour-manual.pdf', new Uint8Array(manual));
  const others = await Promise.all(Object.entries(NOTES).map(([name, text]) => service.upload(name, text)));
  const pipelineId = await client.createPipeline({ name: 'Harbour handbook' });
  const files = [fileId, ...others].map((file_id) => ({ file_id }));
  await service.call('PUT', `/api/v1/pipelines/${pipelineId}/files`, files);
  await client.sync(pipelineId);
  await client.createPipeline({ name: 'Letters of 1907' });
  return { pipelineId, fileId, projectFileId: fileId };
}
