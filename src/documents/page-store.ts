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

/** How a range of pages was read, and how many of its pages still need OCR. */
export type RangeState = { unread: number } & Required<RangeFacts>;

/**
 * Maximum number of JSON characters of the pages that are stored in one object with the summary of their file.
 * Reading the summary reads the pages too, so more pages are stored apart from it.
 */
const MAX_WHOLE_CHARACTERS = 256 * 1024;

/** Content of an object that contains all pages of a small file and its summary. */
interface WholeFile {
  parsed: ParsedFile;
  pages: StoredPage[];
}

/**
 * Stores a range of pages as one object in the bucket. A second object contains their words, if there are
 * any. If the range is the only one of its file, `summary` is stored with the pages. A small file then needs
 * one object, which is complete as soon as it exists.
 */
export async function writePages(
  bucket: R2Bucket,
  parse: ParseKey,
  range: PageRange,
  pages: Page[],
  { triedOcr = '', run = '', reader = '' }: RangeFacts = {},
  summary?: ParsedFile,
): Promise<StoredPage[]> {
  const words = pages.map((page) => ({ index: page.index, words: page.words }));
  const stored: StoredPage[] = pages.map(({ words: _, unmapped: __, ...page }) => page);
  const wordsKey = getWordsKey(parse, range.from);
  if (words.some((page) => page.words.length > 0)) await bucket.put(wordsKey, JSON.stringify(words));
  // The object with the pages is written last, because its existence shows that the range is complete.
  const unread = String(pages.filter((page) => page.needsOcr).length);
  const body = JSON.stringify(stored);
  const isWhole = summary !== undefined && body.length <= MAX_WHOLE_CHARACTERS;
  await bucket.put(
    getRangeKey(parse, range.from),
    isWhole ? `{"parsed":${JSON.stringify(summary)},"pages":${body}}` : body,
    { customMetadata: { unread, ocr: triedOcr, run, reader, ...(isWhole && { whole: 'true' }) } },
  );
  if (summary && !isWhole) await writeSummary(bucket, parse, summary);
  return stored;
}

const containsWholeFile = ({ customMetadata }: R2Object): boolean => customMetadata?.whole === 'true';

/** Returns the pages of a range, or `undefined` if the range was not parsed. */
export async function readRange(
  bucket: R2Bucket,
  parse: ParseKey,
  from: number,
): Promise<StoredPage[] | undefined> {
  const object = await bucket.get(getRangeKey(parse, from));
  if (!object) return undefined;
  return containsWholeFile(object) ? (await object.json<WholeFile>()).pages : object.json<StoredPage[]>();
}

/** Yields the pages of a parsed document in order. */
export async function* iterateStoredPages(
  bucket: R2Bucket,
  parse: ParseKey,
  pageCount: number,
): AsyncGenerator<StoredPage> {
  for (const range of splitIntoRanges(pageCount)) yield* (await readRange(bucket, parse, range.from)) ?? [];
}

/** A complete parse of a file. */
export interface StoredParse {
  parsed: ParsedFile;
  /** Pages and state of a small file, which are stored with the summary. Absent for other files. */
  whole?: { pages: StoredPage[]; state: RangeState };
}

/**
 * Returns the stored parse of a file, or `undefined` until all of its page ranges are stored. The summary is
 * stored with the pages of a small file, and otherwise as an object of its own. Up to release 0.4.0, every
 * summary was an object of its own. With `needsFirstRange`, a file without its first range counts as not
 * parsed, which saves a read.
 */
export async function readStoredParse(
  bucket: R2Bucket,
  parse: ParseKey,
  { needsFirstRange = false } = {},
): Promise<StoredParse | undefined> {
  const first = await bucket.get(getRangeKey(parse, 0));
  if (first && containsWholeFile(first)) {
    const { parsed, pages } = await first.json<WholeFile>();
    return { parsed, whole: { pages, state: toRangeState(first) } };
  }
  if (!first && needsFirstRange) return undefined;
  await first?.body.cancel();
  const parsed = await (await bucket.get(getSummaryKey(parse)))?.json<ParsedFile>();
  return parsed && { parsed };
}

/** Returns the summary of a parsed file, or `undefined` until all of its page ranges are stored. */
export async function readSummary(bucket: R2Bucket, parse: ParseKey): Promise<ParsedFile | undefined> {
  return (await readStoredParse(bucket, parse))?.parsed;
}

/** Stores the summary of a file whose page ranges are all stored. */
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
): Promise<RangeState | undefined> {
  const object = await bucket.head(getRangeKey(parse, from));
  return object ? toRangeState(object) : undefined;
}

function toRangeState({ customMetadata = {} }: R2Object): RangeState {
  const { unread, ocr = '', run = '', reader = '' } = customMetadata;
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
