import { keys } from '#src/bucket/keys.ts';
import type { Page } from '#src/documents/document.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { FileRequest } from '#src/parse/service.ts';
import type { Reading } from '#src/reading/reading.ts';
import { isUsable, type ReadingWay } from './reader.ts';

/** A page that a model is to read, and how. */
export interface WantedPage {
  page: Page;
  way: ReadingWay;
  reason: string;
}

/** What the model wrote of these pages before, by index: in an attempt that did not end, or for another selection. */
export async function keptReadings(
  bucket: R2Bucket,
  request: FileRequest,
  wanted: readonly WantedPage[],
): Promise<Map<number, Reading>> {
  const found = await inParallel(wanted, async ({ page: { index }, way }) => {
    const object = await bucket.get(keyOf(way, request, index));
    if (!object || !isUsable(object.customMetadata?.run ?? '', request)) return [];
    return [[index, await object.json<Reading>()] as const];
  });
  return new Map(found.flat());
}

export async function keepReading(
  bucket: R2Bucket,
  way: ReadingWay,
  request: FileRequest,
  index: number,
  reading: Reading,
): Promise<void> {
  const customMetadata = { run: request.run ?? '' };
  await bucket.put(keyOf(way, request, index), JSON.stringify(reading), { customMetadata });
}

const keyOf = ({ pageHash }: ReadingWay, { projectId, contentHash }: FileRequest, index: number) =>
  keys.pageReading(projectId, contentHash, pageHash, index);
