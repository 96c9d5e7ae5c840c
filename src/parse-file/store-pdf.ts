import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Page } from '#src/documents/document.ts';
import { splitIntoRanges } from '#src/documents/page-selection.ts';
import { readRangeWithWords } from '#src/documents/page-store.ts';
import type { ParserRequest } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { writePdf } from '#src/pdf-output/write.ts';
import { disposable, type OpenRequest, openStored } from './parse-file.ts';

/** Maximum size of a stored PDF in bytes, far above what accepted files produce. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Stores the PDF of a parsed file in the bucket. For a PDF, this is the file itself or a copy of the selected
 * pages. For other formats, a PDF is created from the parsed pages. Does nothing if the PDF is already
 * stored, unless the parameters forbid reusing it.
 */
export async function storePdf(
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
  const put = (bytes: AsyncIterable<Uint8Array>) => writeStream(bucket, key, bytes, MAX_BYTES);
  if (document.copyPages) {
    await put(
      wanted.length === pageCount ? readStoredFile(bucket, request) : yieldOnce(document.copyPages(wanted)),
    );
    return;
  }
  await put(
    writePdf(document, readParsedPages(bucket, request, pageCount), document.metadata.title, progress),
  );
}

async function* readStoredFile(
  bucket: R2Bucket,
  { storageKey, name }: ParserRequest,
): AsyncGenerator<Uint8Array> {
  const object = await bucket.get(storageKey);
  if (!object) throw new Error(`the bytes of ${name} are not in the bucket`);
  yield* object.body;
}

async function* yieldOnce(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await bytes;
}

async function* readParsedPages(
  bucket: R2Bucket,
  request: ParserRequest,
  pageCount: number,
): AsyncGenerator<Page> {
  for (const { from } of splitIntoRanges(pageCount)) {
    yield* (await readRangeWithWords(bucket, request, from)) ?? [];
  }
}
