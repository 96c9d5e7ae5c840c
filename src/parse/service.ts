import type { ParseFailure } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile, ParseKey, StoredPage } from '#src/documents/page-store.ts';
import type { ErrorCode } from '#src/lib/errors.ts';
import type { ParseParameters } from './parameters/parameters.ts';
import type { ParsePlan } from './plan.ts';

/** A file in the bucket and how to read it. */
export interface FileRequest extends ParseKey {
  storageKey: string;
  name: string;
  size: number;
  parameters: ParseParameters;
  /** The run that asks, for parameters that let it use no earlier run's parse. */
  run?: string | undefined;
  /** When the work that the parse is part of began, for parameters that limit its time. Milliseconds since 1970. */
  begun?: number | undefined;
  /** In whose trace the parser works, and calls models that read pages. */
  traceparent?: string | undefined;
}

/** A file to read as the parser Worker receives it: with the plan instead of the parameters. */
export interface ParserRequest extends Omit<FileRequest, 'parameters'> {
  plan: ParsePlan;
}

/** A smaller picture of a page, in pixels. */
export interface SmallPicture {
  width: number;
  /** The width of the page's own picture. */
  fullWidth: number;
}

export interface ParseResult {
  parsed: ParsedFile;
  /** All of them, when they are few and were all parsed just now; else they are in the bucket, see `storedPages`. */
  pages?: StoredPage[] | undefined;
  /** Still to be parsed by `parseRanges`. */
  missing: PageRange[];
  /** Equal bytes had been parsed under an equal configuration: nothing was opened. */
  cached: boolean;
}

/** An error on its way from the parser Worker: those lose their class, so they travel as what makes them up. */
export interface Failure {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  /** Of a ParseError. */
  reason?: ParseFailure;
  retryAfter?: number | undefined;
}

export type Answer<Value> = { value: Value } | { failure: Failure };

/** Asked between stretches of work: whether the caller still wants it. It rejects once the caller is gone. */
export type IsWanted = () => Promise<boolean>;

/**
 * What the Worker in parser/ does for the service. Bytes stay in the bucket that both bind: names, parameters and
 * page ranges go in; pages, pictures and lists of figures are found under the keys of src/bucket/keys.ts.
 */
export interface ParserService {
  /** Names the engine that reads scanned pages; empty without one. */
  ocrId(): Promise<string>;
  parseFile(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParseResult>>;
  /** Small files, all of the same project; tells of each, in their order. */
  parseFiles(requests: ParserRequest[], isWanted: IsWanted): Promise<Answer<Answer<ParseResult>[]>>;
  /** Parses at least the first of the ranges; answers with those that are still to be parsed. */
  parseRanges(request: ParserRequest, ranges: PageRange[], isWanted: IsWanted): Promise<Answer<PageRange[]>>;
  /** Puts the PDF of a parsed file into the bucket. */
  keepPdf(request: ParserRequest, isWanted: IsWanted): Promise<Answer<null>>;
  /** Kind, pages and metadata, without reading a page. */
  describe(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParsedFile>>;
  /** Draws a page; with `small` its smaller picture of that width. */
  drawPage(
    request: ParserRequest,
    pageIndex: number,
    small: SmallPicture | null,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /** Draws one page after the other for so long; those that cannot be drawn are left out. */
  drawPages(
    request: ParserRequest,
    pageIndexes: number[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /** Lists the figures of one range after the other for so long. */
  findFigures(
    request: ParserRequest,
    ranges: PageRange[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>>;
  /** Puts a figure's picture into the bucket; false when the page has none of that name. */
  keepFigure(
    request: ParserRequest,
    pageIndex: number,
    name: string,
    isWanted: IsWanted,
  ): Promise<Answer<boolean>>;
}
