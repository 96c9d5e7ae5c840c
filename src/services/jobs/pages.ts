import { eq } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { files } from '../../db/schema/index.ts';
import { parsingConfigHash } from '../../ingest/parsing/configuration-hash.ts';
import type { DocumentMetadata, Page } from '../../ingest/parsing/document.ts';
import { ParseError } from '../../ingest/parsing/errors.ts';
import { rangesOf, wantedPages } from '../../ingest/parsing/page-selection.ts';
import { type ParseKey, readRange, readRangeWithWords } from '../../ingest/parsing/page-store.ts';
import type { ParseParameters } from '../../ingest/parsing/parameters.ts';
import { type ParseRequest, parseFile, parseRange } from '../../ingest/parsing/parse-file.ts';
import { takeInPending } from '../files/pending-uploads.ts';
import type { Hold } from './hold.ts';

/** A job holds the pages it reads in memory, words included. */
const MAX_PAGES = 1_000;

/** A document that has been parsed: where its pages are. */
export interface ParsedDocument {
  key: ParseKey;
  name: string;
  title: string | undefined;
  pageCount: number;
  metadata: DocumentMetadata;
}

/** Parses what is not in the parse cache yet; pipelines with equal parse parameters share it. */
export async function parseForJob(
  ctx: Context,
  fileId: string,
  parameters: ParseParameters,
  hold: Hold,
): Promise<ParsedDocument> {
  const found = await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) });
  const file = found && (await takeInPending(ctx, found));
  if (!file?.contentHash || !file.storageKey) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', `File ${fileId} or its content is gone.`);
  }
  const key: ParseKey = {
    projectId: file.projectId,
    contentHash: file.contentHash,
    configHash: await parsingConfigHash(parameters),
  };
  const request: ParseRequest = {
    ...key,
    storageKey: file.storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters,
    ocr: ctx.ocr,
    run: hold.run,
  };
  await hold.checkpoint('parsing');
  const progress = () => hold.checkpoint('parsing');
  const { parsed, missing } = await parseFile(ctx.bucket, request, progress);
  for (const range of missing) {
    await hold.checkpoint(`parsing pages ${range.from + 1} to ${range.to} of ${parsed.pageCount}`);
    await parseRange(ctx.bucket, request, range, progress);
  }
  const { title } = parsed.metadata;
  return { key, name: file.name, title, pageCount: parsed.pageCount, metadata: parsed.metadata };
}

/** The pages that the selection asks for, with their words. */
export async function readPages(
  bucket: R2Bucket,
  { key, pageCount }: Pick<ParsedDocument, 'key' | 'pageCount'>,
  selection: { target_pages?: string | null | undefined; max_pages?: number | null | undefined },
): Promise<Page[]> {
  const wanted = wantedPages(pageCount, selection as ParseParameters);
  if (wanted.size === 0) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', `target_pages: the document has ${pageCount} pages.`);
  }
  if (wanted.size > MAX_PAGES) {
    throw new ParseError(
      'TOO_MANY_PAGES',
      `A job reads at most ${MAX_PAGES} pages and this one asks for ${wanted.size}; set target_pages or max_pages.`,
    );
  }
  const pages: Page[] = [];
  for (const { from, to } of rangesOf(pageCount)) {
    if (![...wanted].some((index) => index >= from && index < to)) continue;
    const range = await readRangeWithWords(bucket, key, from);
    pages.push(...(range ?? []).filter(({ index }) => wanted.has(index)));
  }
  if (pages.length === 0) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The parsed pages are no longer kept.');
  }
  return pages;
}

/** Markdown and text of all parsed pages, a range at a time. */
export async function* plainPages(bucket: R2Bucket, key: ParseKey, pageCount: number) {
  for (const { from } of rangesOf(pageCount)) yield* (await readRange(bucket, key, from)) ?? [];
}
