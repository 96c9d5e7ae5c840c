import { keys } from '#src/bucket/keys.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import type { DocumentMetadata, Page, Word } from './document.ts';
import { type PageRange, RANGE_PAGES, splitIntoRanges } from './page-selection.ts';

/** Summary of a parsed file, without its pages. */
export interface ParsedFile {
  kind: FileKind;
  pageCount: number;
  metadata: DocumentMetadata;
}

/** Key of a parse result. Files with equal bytes are parsed once per parse configuration. */
export interface ParseKey {
  projectId: string;
  contentHash: string;
  configHash: string;
}

/**
 * Stored page without words and without the data that only OCR needs. Words are stored separately, because
 * only citations need them.
 */
export type StoredPage = Omit<Page, 'words' | 'unmapped'>;

/** Returns the reason why a page could not be read, or `undefined` if it was read. */
export function getPageFailure(
  page: Pick<StoredPage, 'error' | 'needsOcr' | 'notDrawn' | 'notRead' | 'glyphs'>,
): string | undefined {
  if (page.error !== undefined) return page.error;
  if (!page.needsOcr) return undefined;
  const cause = page.notDrawn ?? page.notRead;
  const reason = cause === undefined ? '' : ` (${cause})`;
  if (page.glyphs && page.glyphs.withoutUnicode > 0) {
    const { drawn, withoutUnicode } = page.glyphs;
    return `NEEDS_OCR: The fonts define no Unicode value for ${withoutUnicode} of the page's ${drawn} characters.${reason}`;
  }
  return `NEEDS_OCR: The page shows content that could not be read as text.${reason}`;
}

const getRangeKey = (parse: ParseKey, from: number) =>
  keys.pageRange(parse.projectId, parse.contentHash, parse.configHash, from);
const getSummaryKey = ({ projectId, contentHash, configHash }: ParseKey) =>
  keys.parseSummary(projectId, contentHash, configHash);
const getWordsKey = (parse: ParseKey, from: number) =>
  getRangeKey(parse, from).replace(/\.json$/, '.words.json');

/** Information about how a range of pages was read. */
export interface RangeFacts {
  /** Id of the OCR engine that tried to read the pages. Undefined or empty if none did. */
  triedOcr?: string | undefined;
  /** Id of the sync run or job attempt that parsed the pages. */
  run?: string | undefined;
  /** Hash that identifies how a language model read the pages. Empty if only the parser read them. */
  reader?: string | undefined;
}

/**
 * Stores a range of pages as one object in the bucket. A second object contains their words, if there are
 * any.
 */
export async function writePages(
  bucket: R2Bucket,
  parse: ParseKey,
  range: PageRange,
  pages: Page[],
  { triedOcr = '', run = '', reader = '' }: RangeFacts = {},
): Promise<StoredPage[]> {
  const words = pages.map((page) => ({ index: page.index, words: page.words }));
  const stored: StoredPage[] = pages.map(({ words: _, unmapped: __, ...page }) => page);
  const wordsKey = getWordsKey(parse, range.from);
  if (words.some((page) => page.words.length > 0)) await bucket.put(wordsKey, JSON.stringify(words));
  // The object with the pages is written last, because its existence shows that the range is complete.
  const unread = String(pages.filter((page) => page.needsOcr).length);
  await bucket.put(getRangeKey(parse, range.from), JSON.stringify(stored), {
    customMetadata: { unread, ocr: triedOcr, run, reader },
  });
  return stored;
}

/** Returns the pages of a range, or `undefined` if the range was not parsed. */
export async function readRange(
  bucket: R2Bucket,
  parse: ParseKey,
  from: number,
): Promise<StoredPage[] | undefined> {
  const object = await bucket.get(getRangeKey(parse, from));
  return object?.json<StoredPage[]>();
}

/** Yields the pages of a parsed document in order. */
export async function* iterateStoredPages(
  bucket: R2Bucket,
  parse: ParseKey,
  pageCount: number,
): AsyncGenerator<StoredPage> {
  for (const range of splitIntoRanges(pageCount)) yield* (await readRange(bucket, parse, range.from)) ?? [];
}

/** Returns the summary of a parsed file, or `undefined` until all of its page ranges are stored. */
export async function readSummary(bucket: R2Bucket, parse: ParseKey): Promise<ParsedFile | undefined> {
  return (await bucket.get(getSummaryKey(parse)))?.json<ParsedFile>();
}

export async function writeSummary(bucket: R2Bucket, parse: ParseKey, parsed: ParsedFile): Promise<void> {
  await bucket.put(getSummaryKey(parse), JSON.stringify(parsed));
}

/**
 * Returns how a range of pages was read, and how many pages still need OCR. Returns `undefined` if the range
 * was not parsed.
 */
export async function readRangeState(
  bucket: R2Bucket,
  parse: ParseKey,
  from: number,
): Promise<({ unread: number } & Required<RangeFacts>) | undefined> {
  const object = await bucket.head(getRangeKey(parse, from));
  if (!object) return undefined;
  const { unread, ocr = '', run = '', reader = '' } = object.customMetadata ?? {};
  return { unread: Number(unread ?? 0), triedOcr: ocr, run, reader };
}

/** Returns the pages of a range with their words, or `undefined` if the range was not parsed. */
export async function readRangeWithWords(
  bucket: R2Bucket,
  parse: ParseKey,
  from: number,
): Promise<Page[] | undefined> {
  const [pages, stored] = await Promise.all([
    readRange(bucket, parse, from),
    bucket.get(getWordsKey(parse, from)).then((object) => object?.json<{ index: number; words: Word[] }[]>()),
  ]);
  const words = new Map(stored?.map((page) => [page.index, page.words]));
  return pages?.map((page) => ({ ...page, words: words.get(page.index) ?? [] }));
}

/**
 * Returns a page with its words, which citations and highlights need. Returns `undefined` if the page was not
 * parsed.
 */
export async function readPage(bucket: R2Bucket, parse: ParseKey, index: number): Promise<Page | undefined> {
  const from = index - (index % RANGE_PAGES);
  const [page, words] = await Promise.all([
    readRange(bucket, parse, from).then((pages) => pages?.find((each) => each.index === index)),
    bucket.get(getWordsKey(parse, from)).then((object) => object?.json<{ index: number; words: Word[] }[]>()),
  ]);
  return page && { ...page, words: words?.find((each) => each.index === index)?.words ?? [] };
}
