import { WorkerEntrypoint } from 'cloudflare:workers';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import type {
  Answer,
  IsWanted,
  ParseResult,
  ParserRequest,
  ParserService,
  SmallPicture,
} from '#src/parse/service.ts';
import { whileWaiting, withHeartbeat } from './heartbeat.ts';
import { type Lease, type LeaseRequest, takeLease } from './lease.ts';

export interface PoolBindings {
  /** The supervisor's lease server; see server/parsers/lease-server.ts. */
  SUPERVISOR: Fetcher;
  /** Milliseconds without a heartbeat after which a parser process counts as stuck. */
  PARSER_SILENCE_MS: number;
  /** `PARSER_0`, `PARSER_1`, …: the parser Worker of each process. */
  [parser: `PARSER_${number}`]: ParserService;
}

/**
 * Runs each parser call in a process that runs nothing else meanwhile. A document that hangs or crashes the parser
 * therefore ends its own call only.
 */
export default class ParserPool extends WorkerEntrypoint<PoolBindings> implements ParserService {
  ocrId(): Promise<string> {
    const request = { tenant: '', isUrgent: true, what: 'ocrId' };
    return this.#run(
      (supervisor) => takeLease(supervisor, request),
      (parser) => parser.ocrId(),
    );
  }

  parseFile(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParseResult>> {
    return this.#parse('parseFile', request, isWanted, (parser, beat) => parser.parseFile(request, beat));
  }

  parseFiles(requests: ParserRequest[], isWanted: IsWanted): Promise<Answer<Answer<ParseResult>[]>> {
    const [first] = requests as [ParserRequest];
    return this.#parse(`parseFiles (${requests.length})`, first, isWanted, (parser, beat) =>
      parser.parseFiles(requests, beat),
    );
  }

  parseRanges(request: ParserRequest, ranges: PageRange[], isWanted: IsWanted): Promise<Answer<PageRange[]>> {
    return this.#parse('parseRanges', request, isWanted, (parser, beat) =>
      parser.parseRanges(request, ranges, beat),
    );
  }

  keepPdf(request: ParserRequest, isWanted: IsWanted): Promise<Answer<null>> {
    return this.#parse('keepPdf', request, isWanted, (parser, beat) => parser.keepPdf(request, beat));
  }

  describe(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParsedFile>> {
    return this.#show('describe', request, isWanted, (parser, beat) => parser.describe(request, beat));
  }

  drawPage(
    request: ParserRequest,
    pageIndex: number,
    small: SmallPicture | null,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return this.#show('drawPage', request, isWanted, (parser, beat) =>
      parser.drawPage(request, pageIndex, small, beat),
    );
  }

  drawPages(
    request: ParserRequest,
    pageIndexes: number[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return this.#parse('drawPages', request, isWanted, (parser, beat) =>
      parser.drawPages(request, pageIndexes, budgetMs, beat),
    );
  }

  findFigures(
    request: ParserRequest,
    ranges: PageRange[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return this.#parse('findFigures', request, isWanted, (parser, beat) =>
      parser.findFigures(request, ranges, budgetMs, beat),
    );
  }

  keepFigure(
    request: ParserRequest,
    pageIndex: number,
    name: string,
    isWanted: IsWanted,
  ): Promise<Answer<boolean>> {
    return this.#show('keepFigure', request, isWanted, (parser, beat) =>
      parser.keepFigure(request, pageIndex, name, beat),
    );
  }

  override fetch(): Response {
    return new Response('Reached through its service binding only.', { status: 404 });
  }

  /** Runs a call of background work: it waits behind urgent calls and behind tenants that were served less recently. */
  #parse<Value>(
    method: string,
    request: ParserRequest,
    isWanted: IsWanted,
    call: (parser: ParserService, beat: IsWanted) => Promise<Value>,
  ): Promise<Value> {
    return this.#runWithHeartbeat(leaseFor(method, request, false), isWanted, call);
  }

  /** Runs a short call that somebody waits for, such as the picture of a page. */
  #show<Value>(
    method: string,
    request: ParserRequest,
    isWanted: IsWanted,
    call: (parser: ParserService, beat: IsWanted) => Promise<Value>,
  ): Promise<Value> {
    return this.#runWithHeartbeat(leaseFor(method, request, true), isWanted, call);
  }

  /** Beats towards the caller while the call waits for a process, and watches the parser's beats afterwards. */
  #runWithHeartbeat<Value>(
    request: LeaseRequest,
    isWanted: IsWanted,
    call: (parser: ParserService, beat: IsWanted) => Promise<Value>,
  ): Promise<Value> {
    return this.#run(
      (supervisor) => whileWaiting(isWanted, (signal) => takeLease(supervisor, request, signal)),
      (parser, lease) =>
        withHeartbeat(isWanted, this.env.PARSER_SILENCE_MS, lease, (beat) => call(parser, beat)),
    );
  }

  #run<Value>(
    take: (supervisor: Fetcher) => Promise<Lease>,
    call: (parser: ParserService, lease: Lease) => Promise<Value>,
  ): Promise<Value> {
    const work = async () => {
      await using lease = await take(this.env.SUPERVISOR);
      try {
        return await call(this.env[`PARSER_${lease.slot}`]!, lease);
      } catch (error) {
        throw await lease.explain(error);
      }
    };
    const running = work();
    // A caller that goes away must not leave a lease behind: the parser notices at its next heartbeat.
    this.ctx.waitUntil(running.catch(() => {}));
    return running;
  }
}

function leaseFor(method: string, request: ParserRequest, isUrgent: boolean): LeaseRequest {
  return { tenant: request.projectId, isUrgent, what: `${method} ${request.storageKey}` };
}
