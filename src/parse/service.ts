import type { ParseFailure } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile, ParseKey, StoredPage } from '#src/documents/page-store.ts';
import type { ErrorCode } from '#src/lib/errors.ts';
import type { ParseParameters } from './parameters/parameters.ts';
import type { ParsePlan } from './plan.ts';

/** A file in the bucket with the parameters for reading it. */
export interface FileRequest extends ParseKey {
  storageKey: string;
  name: string;
  size: number;
  parameters: ParseParameters;
  /**
   * Id of the sync run or job attempt. It is needed if the parameters forbid reusing the parse of an earlier
   * run.
   */
  run?: string | undefined;
  /**
   * Time in milliseconds since 1970 at which the job began. It is needed if the parameters limit the
   * duration.
   */
  begun?: number | undefined;
  /** W3C traceparent header value of the trace to which the work of the parser belongs. */
  traceparent?: string | undefined;
}

/** A file request as the parser Worker receives it, with the resolved plan instead of the parameters. */
export interface ParserRequest extends Omit<FileRequest, 'parameters'> {
  plan: ParsePlan;
}

/** A reduced picture of a page. `width` is its width in pixels. */
export interface SmallPicture {
  width: number;
  /** Width of the page's full-size picture in pixels. */
  fullWidth: number;
}

export interface ParseResult {
  parsed: ParsedFile;
  /**
   * All pages, if they are few and were parsed or read by this call. Otherwise the pages are in the bucket,
   * see `iterateStoredPages`.
   */
  pages?: StoredPage[] | undefined;
  /** Page ranges that still have to be parsed with `parseRanges`. */
  missing: PageRange[];
  /**
   * True if an earlier parse of equal bytes with the same configuration was reused, so that the file was not
   * opened.
   */
  cached: boolean;
}

/**
 * An error as the parser Worker returns it. Errors lose their class over RPC, so they are sent as plain data.
 */
export interface Failure {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  /** Reason of a ParseError. Absent for other errors. */
  reason?: ParseFailure;
  retryAfter?: number | undefined;
}

export type Answer<Value> = { value: Value } | { failure: Failure };

/**
 * Callback that the parser calls between long steps. It returns whether the caller still needs the result,
 * and rejects if the caller is gone.
 */
export type IsWanted = () => Promise<boolean>;

/**
 * Interface of the parser Worker in parser/. Both Workers access the same bucket, so files are not sent.
 * Requests contain names, parameters and page ranges. Pages, pictures and lists of figures are stored under
 * the keys of src/bucket/keys.ts.
 */
export interface ParserService {
  /** Returns the id of the OCR engine that reads scanned pages, or '' if there is none. */
  ocrId(): Promise<string>;
  parseFile(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParseResult>>;
  /** Parses small files of one project. Returns one answer per file, in order. */
  parseFiles(requests: ParserRequest[], isWanted: IsWanted): Promise<Answer<Answer<ParseResult>[]>>;
  /** Parses at least the first range. Returns the ranges that still have to be parsed. */
  parseRanges(request: ParserRequest, ranges: PageRange[], isWanted: IsWanted): Promise<Answer<PageRange[]>>;
  /** Writes the PDF of a parsed file to the bucket. */
  keepPdf(request: ParserRequest, isWanted: IsWanted): Promise<Answer<null>>;
  /** Returns kind, page count and metadata of a file without reading a page. */
  describe(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParsedFile>>;
  /** Draws a page into the bucket. With `small`, draws the reduced picture of this width. */
  drawPage(
    request: ParserRequest,
    pageIndex: number,
    small: SmallPicture | null,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /**
   * Draws pages one after another until the time budget in milliseconds is used up. Pages that cannot be
   * drawn are skipped.
   */
  drawPages(
    request: ParserRequest,
    pageIndexes: number[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /** Lists the figures of the ranges one after another until the time budget in milliseconds is used up. */
  findFigures(
    request: ParserRequest,
    ranges: PageRange[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /** Writes a figure's picture to the bucket. Returns false if the page has no figure with this name. */
  keepFigure(
    request: ParserRequest,
    pageIndex: number,
    name: string,
    isWanted: IsWanted,
  ): Promise<Answer<boolean>>;
}
