import type { Context } from '#src/context/context.ts';
import { type PageRange, RANGE_PAGES, splitIntoRanges } from '#src/documents/page-selection.ts';
import { writeSummary } from '#src/documents/page-store.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import type { DocumentParser } from '#src/parse/client.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { FileRequest, ParseResult } from '#src/parse/service.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { getParserParameters } from '#src/reading/plan/layout-parameters.ts';
import { listPagePlans, planPages } from '#src/reading/plan/page-plan.ts';
import { needsModel } from '#src/reading/plan/plan.ts';
import { dependsOnFileName } from '#src/reading/plan/rules.ts';
import { resolveModel } from './model.ts';
import { readAndStoreRange } from './read-range.ts';
import { createReader, isRead, type Reader } from './reader.ts';

export interface OpenParser {
  parser: Pick<DocumentParser, 'parseFile' | 'parseFiles' | 'parseRanges'>;
  /**
   * Returns the configuration hash for a file. The hash depends on the file name, because page rules may
   * refer to the name.
   */
  getConfigHash(fileName: string): Promise<string>;
}

type Parsing = OpenParser['parser'];

/**
 * Time in milliseconds after which a call starts no further page range. The caller continues with another
 * call.
 */
const TURN_MS = 30_000;

/**
 * Opens the parser for a project. If the parse parameters request it, language models read the pages after
 * the parser.
 */
export async function openParser(
  ctx: Context,
  projectId: string,
  parameters: ParseParameters,
): Promise<OpenParser> {
  const plans = planPages(parameters);
  const models = await Promise.all(
    listPagePlans(plans).map((plan) =>
      needsModel(plan.readingPlan) ? resolveModel(ctx, projectId, plan) : undefined,
    ),
  );
  if (models.every((model) => model === undefined)) {
    return {
      parser: createParserWithoutModel(ctx.parser),
      getConfigHash: () => parsingConfigHash(parameters),
    };
  }
  const readers = new Map<string, Promise<Reader>>();
  const getReader = (fileName: string): Promise<Reader> => {
    const name = dependsOnFileName(plans.rules) ? fileName : '';
    const reader = readers.get(name) ?? createReader(plans, models, name);
    readers.set(name, reader);
    return reader;
  };
  return {
    parser: createParserWithReader(ctx, getReader),
    getConfigHash: async (fileName) => (await getReader(fileName)).hash,
  };
}

function createParserWithoutModel(parser: Parsing): Parsing {
  const toParserRequest = (request: FileRequest) => ({
    ...request,
    parameters: getParserParameters(request.parameters),
  });
  return {
    parseFile: (request, checkpoint) => parser.parseFile(toParserRequest(request), checkpoint),
    parseFiles: (requests, checkpoint) => parser.parseFiles(requests.map(toParserRequest), checkpoint),
    parseRanges: (request, ranges, checkpoint) =>
      parser.parseRanges(toParserRequest(request), ranges, checkpoint),
  };
}

/**
 * Creates a parser that combines the parser with a language model. The parser stores its layout under a
 * separate key, and the model reads the pages from that layout.
 */
function createParserWithReader(ctx: Context, getReader: (fileName: string) => Promise<Reader>): Parsing {
  const { bucket, parser } = ctx;
  const listUnreadRanges = async (
    reader: Reader,
    request: FileRequest,
    ranges: PageRange[],
  ): Promise<PageRange[]> => {
    const read = await Promise.all(ranges.map(({ from }) => isRead(bucket, reader, request, from)));
    return ranges.filter((_, at) => !read[at]);
  };
  const reading: Parsing = {
    async parseFile(request, checkpoint): Promise<ParseResult> {
      const reader = await getReader(request.name);
      const { parsed, missing } = await parser.parseFile({ ...request, ...reader.layout }, checkpoint);
      if (missing.length > 0) return { parsed, missing, cached: false };
      const unread = await listUnreadRanges(
        reader,
        request,
        listWantedRanges(parsed.pageCount, request.parameters),
      );
      if (unread.length > 1) return { parsed, missing: unread, cached: false };
      for (const range of unread) await readAndStoreRange(ctx, reader, request, range, checkpoint);
      await writeSummary(bucket, request, parsed);
      return { parsed, missing: [], cached: unread.length === 0 };
    },
    async parseRanges(request, ranges, checkpoint) {
      const end = Date.now() + TURN_MS;
      const reader = await getReader(request.name);
      const left = await parser.parseRanges({ ...request, ...reader.layout }, ranges, checkpoint);
      const laidOut = ranges.filter(({ from }) => !left.some((range) => range.from === from));
      const unread = await listUnreadRanges(reader, request, laidOut);
      for (const [at, range] of unread.entries()) {
        if (at > 0 && Date.now() >= end) return [...unread.slice(at), ...left];
        await readAndStoreRange(ctx, reader, request, range, checkpoint);
      }
      return left;
    },
    // Files are read one after the other, because the pages of each file are already read concurrently.
    parseFiles: (requests, checkpoint) =>
      settleEach(requests, checkpoint, (request) => reading.parseFile(request, checkpoint)),
  };
  return reading;
}

function listWantedRanges(pageCount: number, parameters: ParseParameters): PageRange[] {
  const starts = new Set(
    [...wantedPages(pageCount, resolveParsePlan(parameters).pages)].map(
      (index) => index - (index % RANGE_PAGES),
    ),
  );
  return splitIntoRanges(pageCount).filter(({ from }) => starts.has(from));
}
