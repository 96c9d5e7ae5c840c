import { keys } from '#src/files/keys.ts';
import { inParallel } from '#src/lib/in-parallel.ts';
import type { Page } from '#src/parsing/document.ts';
import type { FileRequest } from '#src/parsing/service.ts';
import type { Reading } from '#src/reading/reading.ts';
import { isUsable, type Reader } from './reader.ts';

/** What the model wrote of these pages before, by index: in an attempt that did not end, or for another selection. */
export async function keptReadings(
  bucket: R2Bucket,
  reader: Reader,
  request: FileRequest,
  pages: readonly Page[],
): Promise<Map<number, Reading>> {
  const found = await inParallel(pages, async ({ index }) => {
    const object = await bucket.get(keyOf(reader, request, index));
    if (!object || !isUsable(object.customMetadata?.run ?? '', request)) return [];
    return [[index, await object.json<Reading>()] as const];
  });
  return new Map(found.flat());
}

export async function keepReading(
  bucket: R2Bucket,
  reader: Reader,
  request: FileRequest,
  index: number,
  reading: Reading,
): Promise<void> {
  const customMetadata = { run: request.run ?? '' };
  await bucket.put(keyOf(reader, request, index), JSON.stringify(reading), { customMetadata });
}

const keyOf = ({ pageHash }: Reader, { projectId, contentHash }: FileRequest, index: number) =>
  keys.pageReading(projectId, contentHash, pageHash, index);
