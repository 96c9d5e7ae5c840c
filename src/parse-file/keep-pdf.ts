import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Page } from '#src/documents/document.ts';
import { rangesOf } from '#src/documents/page-selection.ts';
import { readRangeWithWords } from '#src/documents/page-store.ts';
import type { ParserRequest } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { writePdf } from '#src/pdf-output/write.ts';
import { disposable, type OpenRequest, openStored } from './parse-file.ts';

/** Far above what the files that are taken in become. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Puts the PDF of a parsed file into the bucket: of a PDF the file itself, or its wanted pages where those are not all;
 * of everything else one that is drawn of the pages as they were read. Nothing is done where it is there already.
 */
export async function keepPdf(
  bucket: R2Bucket,
  request: OpenRequest,
  progress: () => Promise<void>,
): Promise<void> {
  const { projectId, contentHash, configHash, plan } = request;
  const key = keys.parsedPdf(projectId, contentHash, configHash);
  if ((await bucket.head(key)) && plan.job.reuseEarlier) return;
  using document = disposable(await openStored(bucket, request));
  const { pageCount } = document;
  const wanted = [...wantedPages(pageCount, plan.pages)];
  const put = (bytes: AsyncIterable<Uint8Array>) => writeStream(bucket, key, bytes, MOST_BYTES);
  if (document.copyPages) {
    await put(wanted.length === pageCount ? itself(bucket, request) : one(document.copyPages(wanted)));
    return;
  }
  await put(writePdf(document, parsedPages(bucket, request, pageCount), document.metadata.title, progress));
}

async function* itself(bucket: R2Bucket, { storageKey, name }: ParserRequest): AsyncGenerator<Uint8Array> {
  const object = await bucket.get(storageKey);
  if (!object) throw new Error(`the bytes of ${name} are not in the bucket`);
  yield* object.body;
}

async function* one(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes;
}

async function* parsedPages(
  bucket: R2Bucket,
  request: ParserRequest,
  pageCount: number,
): AsyncGenerator<Page> {
  for (const { from } of rangesOf(pageCount)) {
    yield* (await readRangeWithWords(bucket, request, from)) ?? [];
  }
}
