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
  /**
   * Binding to the supervisor's server for leases of parser processes, see server/parsers/lease-server.ts.
   */
  SUPERVISOR: Fetcher;
  /** Time in milliseconds without a heartbeat after which a parser process counts as stuck. */
  PARSER_SILENCE_MS: number;
  /** Parser Worker of each process, bound as `PARSER_0`, `PARSER_1` and so on. */
  [parser: `PARSER_${number}`]: ParserService;
}

/**
 * Runs each parser call in a process that runs no other call at the same time. A document that hangs or
 * crashes the parser therefore affects only its own call.
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

  /**
   * Runs a call of background work. It waits behind urgent calls and behind projects that were served less
   * recently.
   */
  #parse<Value>(
    method: string,
    request: ParserRequest,
    isWanted: IsWanted,
    call: (parser: ParserService, beat: IsWanted) => Promise<Value>,
  ): Promise<Value> {
    return this.#runWithHeartbeat(leaseFor(method, request, false), isWanted, call);
  }

  /** Runs a short parser call that a user waits for, such as rendering a page. */
  #show<Value>(
    method: string,
    request: ParserRequest,
    isWanted: IsWanted,
    call: (parser: ParserService, beat: IsWanted) => Promise<Value>,
  ): Promise<Value> {
    return this.#runWithHeartbeat(leaseFor(method, request, true), isWanted, call);
  }

  /**
   * Sends heartbeats to the caller while the call waits for a process, and watches the heartbeats of the
   * parser afterwards.
   */
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
    // Keeps the Worker running if the caller disconnects, so that the lease is returned. The parser notices
    // the disconnect at its next heartbeat.
    this.ctx.waitUntil(running.catch(() => {}));
    return running;
  }
}

function leaseFor(method: string, request: ParserRequest, isUrgent: boolean): LeaseRequest {
  return { tenant: request.projectId, isUrgent, what: `${method} ${request.storageKey}` };
}
