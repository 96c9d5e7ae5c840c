import { ParseError } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import { DomainError, messageOf, Unavailable, Upstream } from '#src/lib/errors.ts';
import { currentTrace, traceparentOf } from '#src/lib/trace.ts';
import { resolveParsePlan } from './plan.ts';
import type {
  Answer,
  Failure,
  FileRequest,
  IsWanted,
  ParseResult,
  ParserRequest,
  ParserService,
  SmallPicture,
} from './service.ts';
import { PARSER_STUCK } from './stopped-parser.ts';

/** Client of the parser Worker. It rejects with DomainErrors, or with the error of a checkpoint. */
export interface DocumentParser {
  /** Returns the name of the OCR engine; empty if there is none. */
  ocrId(): Promise<string>;
  /**
   * Parses a file. `checkpoint` is called between pieces of work; if it throws, the work stops and the error
   * is rethrown.
   */
  parseFile(request: FileRequest, checkpoint: () => Promise<void>): Promise<ParseResult>;
  /** Parses small files of one project with one call. Returns one result per file, in order. */
  parseFiles(
    requests: FileRequest[],
    checkpoint: () => Promise<void>,
  ): Promise<PromiseSettledResult<ParseResult>[]>;
  /** Parses at least the first range and returns the remaining ranges. */
  parseRanges(
    request: FileRequest,
    ranges: PageRange[],
    checkpoint: () => Promise<void>,
  ): Promise<PageRange[]>;
  /** Writes the PDF of a parsed file to the bucket. */
  keepPdf(request: FileRequest, checkpoint: () => Promise<void>): Promise<void>;
  describe(request: FileRequest): Promise<ParsedFile>;
  drawPage(request: FileRequest, pageIndex: number, small?: SmallPicture): Promise<void>;
  drawPages(request: FileRequest, pageIndexes: number[], budgetMs: number): Promise<void>;
  findFigures(request: FileRequest, ranges: PageRange[], budgetMs: number): Promise<void>;
  keepFigure(request: FileRequest, pageIndex: number, name: string): Promise<boolean>;
}

/** Attempts for a file that ends its parser, and the wait for a silent parser. */
export interface Patience {
  attempts: number;
  pauseMs: number;
  silenceMs: number;
}

/** A parser sends a heartbeat every three seconds. A page that prevents that for this long is given up. */
const PATIENCE: Patience = { attempts: 3, pauseMs: 500, silenceMs: 90_000 };

/**
 * Creates a client. `binding` is the service binding of the Worker in parser/, whose methods the platform's
 * types do not contain.
 */
export function createParser(binding: unknown, patience: Patience = PATIENCE): DocumentParser {
  const service = binding as ParserService;
  const wanted = async () => {};
  const done = (answer: Promise<unknown>) => answer.then(() => {});
  const call = <Value>(
    work: (isWanted: IsWanted) => Promise<Answer<Value>>,
    checkpoint: () => Promise<void> = wanted,
  ) => tryPatiently(service, patience, work, checkpoint);
  const parseFile: DocumentParser['parseFile'] = (request, checkpoint) =>
    call((isWanted) => service.parseFile(toParserRequest(request), isWanted), checkpoint);
  return {
    ocrId: () =>
      service.ocrId().catch((error: unknown) => {
        throw new Unavailable(`The parser does not answer: ${messageOf(error)}`, error);
      }),
    parseFile,
    async parseFiles(requests, checkpoint) {
      const alone = () => settleEach(requests, checkpoint, (request) => parseFile(request, checkpoint));
      if (requests.length < 2) return alone();
      const asked = requests.map(toParserRequest);
      try {
        const answers = await tryOnce(
          patience,
          (isWanted) => service.parseFiles(asked, isWanted),
          checkpoint,
        );
        return answers.map((answer) =>
          'failure' in answer
            ? { status: 'rejected', reason: rehydrate(answer.failure) }
            : { status: 'fulfilled', value: answer.value },
        );
      } catch (error) {
        // One of the files ended the parser. Parsing each alone shows which one.
        if (error instanceof NoAnswer) return alone();
        throw error;
      }
    },
    parseRanges: (request, ranges, checkpoint) =>
      call((isWanted) => service.parseRanges(toParserRequest(request), ranges, isWanted), checkpoint),
    keepPdf: (request, checkpoint) =>
      done(call((isWanted) => service.keepPdf(toParserRequest(request), isWanted), checkpoint)),
    describe: (request) => call((isWanted) => service.describe(toParserRequest(request), isWanted)),
    drawPage: (request, pageIndex, small = undefined) =>
      done(
        call((isWanted) => service.drawPage(toParserRequest(request), pageIndex, small ?? null, isWanted)),
      ),
    drawPages: (request, pageIndexes, budgetMs) =>
      done(call((isWanted) => service.drawPages(toParserRequest(request), pageIndexes, budgetMs, isWanted))),
    findFigures: (request, ranges, budgetMs) =>
      done(call((isWanted) => service.findFigures(toParserRequest(request), ranges, budgetMs, isWanted))),
    keepFigure: (request, pageIndex, name) =>
      call((isWanted) => service.keepFigure(toParserRequest(request), pageIndex, name, isWanted)),
  };
}

/** Resolves the parameters of a request, so that nothing but the plan for reading, and no secret of others, is sent. */
function toParserRequest({ parameters, ...request }: FileRequest): ParserRequest {
  const trace = currentTrace();
  const plan = resolveParsePlan(parameters);
  return { ...request, plan, ...(trace && { traceparent: traceparentOf(trace) }) };
}

/** The parser ended, was killed or got stuck instead of answering. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

class Silence extends NoAnswer {}

async function tryPatiently<Value>(
  service: ParserService,
  patience: Patience,
  work: (isWanted: IsWanted) => Promise<Answer<Value>>,
  checkpoint: () => Promise<void>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryOnce(patience, work, checkpoint);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (attempt === patience.attempts) throw await verdictOn(service, patience, error);
      await scheduler.wait(patience.pauseMs * attempt);
    }
  }
}

async function tryOnce<Value>(
  { silenceMs }: Patience,
  work: (isWanted: IsWanted) => Promise<Answer<Value>>,
  checkpoint: () => Promise<void>,
): Promise<Value> {
  let stop: { reason: unknown } | undefined;
  let heard = Date.now();
  const isWanted = async () => {
    heard = Date.now();
    if (stop) return false;
    await checkpoint().catch((reason: unknown) => {
      stop ??= { reason };
    });
    return stop === undefined;
  };
  const silence = silent(silenceMs, () => heard);
  try {
    const answer = await Promise.race([work(isWanted).catch(throwNoAnswer), silence.over]);
    if (stop) throw stop.reason;
    if ('failure' in answer) throw rehydrate(answer.failure);
    return answer.value;
  } finally {
    // An abandoned attempt should end at its next checkpoint.
    stop ??= { reason: undefined };
    silence.end();
  }
}

function throwNoAnswer(error: unknown): never {
  const message = messageOf(error);
  // On a single machine a supervisor stops a stuck parser and says so in the message.
  const Failed = message.includes(PARSER_STUCK) ? Silence : NoAnswer;
  throw new Failed(message, { cause: error });
}

/** `over` rejects after this many milliseconds without a heartbeat. */
function silent(milliseconds: number, lastHeard: () => number): { over: Promise<never>; end(): void } {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const look = () => {
    if (Date.now() - lastHeard() >= milliseconds)
      reject(new Silence(`nothing was heard for ${milliseconds} ms`));
  };
  const timer = setInterval(look, Math.max(10, milliseconds / 10));
  return { over, end: () => clearInterval(timer) };
}

/** Decides whose fault it is: a parser that answers other calls ended because of this file. */
async function verdictOn(service: ParserService, { attempts, silenceMs }: Patience, error: NoAnswer) {
  const isAlive = await Promise.race([
    service.ocrId().then(
      () => true,
      () => false,
    ),
    scheduler.wait(silenceMs).then(() => false),
  ]);
  if (!isAlive) return new Unavailable(`The parser does not answer: ${error.message}`, error);
  const [reason, what] =
    error instanceof Silence
      ? (['TIMEOUT', 'got stuck over the file'] as const)
      : (['PARSER_CRASHED', 'ran out of memory or time, or crashed, over the file'] as const);
  return new ParseError(reason, `The parser ${what} ${attempts} times (${error.message}).`, error);
}

function rehydrate({ code, message, retryable, reason, retryAfter }: Failure): DomainError {
  if (reason) return ParseError.of(reason, message);
  if (code === 'upstream') {
    return new Upstream(message, { retryable, ...(retryAfter !== undefined && { retryAfter }) });
  }
  return new DomainError(code, message, { retryable });
}
