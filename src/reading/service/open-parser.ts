import type { Context } from '#src/context/context.ts';
import { type PageRange, RANGE_PAGES, rangesOf } from '#src/documents/page-selection.ts';
import { writeSummary } from '#src/documents/page-store.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import type { DocumentParser } from '#src/parse/client.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { FileRequest, ParseResult } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { parserParameters } from '#src/reading/plan/layout-parameters.ts';
import { needsModel } from '#src/reading/plan/plan.ts';
import { asksForName } from '#src/reading/plan/rules.ts';
import { allWays, waysOf } from '#src/reading/plan/ways.ts';
import { modelOf } from './model.ts';
import { readInto } from './read-range.ts';
import { isRead, type Reader, readerOf } from './reader.ts';

export interface OpenParser {
  parser: Pick<DocumentParser, 'parseFile' | 'parseFiles' | 'parseRanges'>;
  /** Returns the configuration hash for a file of this name. */
  configHashOf(fileName: string): Promise<string>;
}

type Parsing = OpenParser['parser'];

/** Milliseconds after which no further range is started. The owner then continues in another turn. */
const TURN_MS = 30_000;

/** Opens the parser and, if requested, the model that reads a project's pages. */
export async function openParser(
  ctx: Context,
  projectId: string,
  parameters: ParseParameters,
): Promise<OpenParser> {
  const ways = waysOf(parameters);
  const models = await Promise.all(
    allWays(ways).map((way) => (needsModel(way.plan) ? modelOf(ctx, projectId, way) : undefined)),
  );
  if (models.every((model) => model === undefined)) {
    return { parser: alone(ctx.parser), configHashOf: () => parsingConfigHash(parameters) };
  }
  const readers = new Map<string, Promise<Reader>>();
  const readerFor = (fileName: string): Promise<Reader> => {
    const name = asksForName(ways.rules) ? fileName : '';
    const reader = readers.get(name) ?? readerOf(ways, models, name);
    readers.set(name, reader);
    return reader;
  };
  return {
    parser: withReader(ctx, readerFor),
    configHashOf: async (fileName) => (await readerFor(fileName)).hash,
  };
}

/** The parser with parameters in its own terms. */
function alone(parser: Parsing): Parsing {
  const told = (request: FileRequest) => ({ ...request, parameters: parserParameters(request.parameters) });
  return {
    parseFile: (request, checkpoint) => parser.parseFile(told(request), checkpoint),
    parseFiles: (requests, checkpoint) => parser.parseFiles(requests.map(told), checkpoint),
    parseRanges: (request, ranges, checkpoint) => parser.parseRanges(told(request), ranges, checkpoint),
  };
}

/** The parser stores its layout under a separate key; the model reads the pages from there. */
function withReader(ctx: Context, readerFor: (fileName: string) => Promise<Reader>): Parsing {
  const { bucket, parser } = ctx;
  const unreadOf = async (
    reader: Reader,
    request: FileRequest,
    ranges: PageRange[],
  ): Promise<PageRange[]> => {
    const read = await Promise.all(ranges.map(({ from }) => isRead(bucket, reader, request, from)));
    return ranges.filter((_, at) => !read[at]);
  };
  const reading: Parsing = {
    async parseFile(request, checkpoint): Promise<ParseResult> {
      const reader = await readerFor(request.name);
      const { parsed, missing } = await parser.parseFile({ ...request, ...reader.layout }, checkpoint);
      if (missing.length > 0) return { parsed, missing, cached: false };
      const unread = await unreadOf(reader, request, wantedRanges(parsed.pageCount, request.parameters));
      if (unread.length > 1) return { parsed, missing: unread, cached: false };
      for (const range of unread) await readInto(ctx, reader, request, range, checkpoint);
      await writeSummary(bucket, request, parsed);
      return { parsed, missing: [], cached: unread.length === 0 };
    },
    async parseRanges(request, ranges, checkpoint) {
      const end = Date.now() + TURN_MS;
      const reader = await readerFor(request.name);
      const left = await parser.parseRanges({ ...request, ...reader.layout }, ranges, checkpoint);
      const laidOut = ranges.filter(({ from }) => !left.some((range) => range.from === from));
      const unread = await unreadOf(reader, request, laidOut);
      for (const [at, range] of unread.entries()) {
        if (at > 0 && Date.now() >= end) return [...unread.slice(at), ...left];
        await readInto(ctx, reader, request, range, checkpoint);
      }
      return left;
    },
    // A model already reads the pages of one file in parallel.
    parseFiles: (requests, checkpoint) =>
      settleEach(requests, checkpoint, (request) => reading.parseFile(request, checkpoint)),
  };
  return reading;
}

function wantedRanges(pageCount: number, parameters: ParseParameters): PageRange[] {
  const starts = new Set(
    [...wantedPages(pageCount, resolveParsePlan(parameters).pages)].map(
      (index) => index - (index % RANGE_PAGES),
    ),
  );
  return rangesOf(pageCount).filter(({ from }) => starts.has(from));
}
