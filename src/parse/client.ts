import { ParseError } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import { DomainError, getErrorMessage, Unavailable, Upstream } from '#src/lib/errors.ts';
import { currentTrace, formatTraceparent } from '#src/lib/trace.ts';
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

/** Client of the parser Worker. Methods reject with a DomainError, or with the error of a checkpoint. */
export interface DocumentParser {
  /** Returns the id of the OCR engine, or '' if there is none. */
  ocrId(): Promise<string>;
  /**
   * Parses a file. `checkpoint` is called between pieces of work. If it throws, the work stops and the error
   * is rethrown.
   */
  parseFile(request: FileRequest, checkpoint: () => Promise<void>): Promise<ParseResult>;
  /** Parses small files of one project in a single call. Returns one result per file, in order. */
  parseFiles(
    requests: FileRequest[],
    checkpoint: () => Promise<void>,
  ): Promise<PromiseSettledResult<ParseResult>[]>;
  /** Parses at least the first range. Returns the ranges that still have to be parsed. */
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

/**
 * Number of attempts for a file whose parser stops, pause between attempts, and time without a heartbeat
 * after which a parser counts as stuck.
 */
export interface RetryPolicy {
  attempts: number;
  pauseMs: number;
  heartbeatTimeoutMs: number;
}

/**
 * The parser sends a heartbeat every three seconds. A page that blocks it for longer than the timeout is
 * given up.
 */
const DEFAULT_RETRY_POLICY: RetryPolicy = { attempts: 3, pauseMs: 500, heartbeatTimeoutMs: 90_000 };

/**
 * Creates a client. `binding` is the service binding of the Worker in parser/. The platform's types do not
 * know its methods.
 */
export function createParser(binding: unknown, patience: RetryPolicy = DEFAULT_RETRY_POLICY): DocumentParser {
  const service = binding as ParserService;
  const noCheckpoint = async () => {};
  const toVoid = (answer: Promise<unknown>) => answer.then(() => {});
  const call = <Value>(
    work: (isWanted: IsWanted) => Promise<Answer<Value>>,
    checkpoint: () => Promise<void> = noCheckpoint,
  ) => callWithRetries(service, patience, work, checkpoint);
  const parseFile: DocumentParser['parseFile'] = (request, checkpoint) =>
    call((isWanted) => service.parseFile(toParserRequest(request), isWanted), checkpoint);
  return {
    ocrId: () =>
      service.ocrId().catch((error: unknown) => {
        throw new Unavailable(`The parser does not answer: ${getErrorMessage(error)}`, error);
      }),
    parseFile,
    async parseFiles(requests, checkpoint) {
      const alone = () => settleEach(requests, checkpoint, (request) => parseFile(request, checkpoint));
      if (requests.length < 2) return alone();
      const parserRequests = requests.map(toParserRequest);
      try {
        const answers = await callOnce(
          patience,
          (isWanted) => service.parseFiles(parserRequests, isWanted),
          checkpoint,
        );
        return answers.map((answer) =>
          'failure' in answer
            ? { status: 'rejected', reason: rehydrate(answer.failure) }
            : { status: 'fulfilled', value: answer.value },
        );
      } catch (error) {
        // One of the files made the parser stop. Parsing each file alone shows which one.
        if (error instanceof NoAnswer) return alone();
        throw error;
      }
    },
    parseRanges: (request, ranges, checkpoint) =>
      call((isWanted) => service.parseRanges(toParserRequest(request), ranges, isWanted), checkpoint),
    keepPdf: (request, checkpoint) =>
      toVoid(call((isWanted) => service.keepPdf(toParserRequest(request), isWanted), checkpoint)),
    describe: (request) => call((isWanted) => service.describe(toParserRequest(request), isWanted)),
    drawPage: (request, pageIndex, small = undefined) =>
      toVoid(
        call((isWanted) => service.drawPage(toParserRequest(request), pageIndex, small ?? null, isWanted)),
      ),
    drawPages: (request, pageIndexes, budgetMs) =>
      toVoid(
        call((isWanted) => service.drawPages(toParserRequest(request), pageIndexes, budgetMs, isWanted)),
      ),
    findFigures: (request, ranges, budgetMs) =>
      toVoid(call((isWanted) => service.findFigures(toParserRequest(request), ranges, budgetMs, isWanted))),
    keepFigure: (request, pageIndex, name) =>
      call((isWanted) => service.keepFigure(toParserRequest(request), pageIndex, name, isWanted)),
  };
}

/**
 * Resolves the parameters of a request to a plan, so that secrets and other parameters are not sent to the
 * parser.
 */
function toParserRequest({ parameters, ...request }: FileRequest): ParserRequest {
  const trace = currentTrace();
  const plan = resolveParsePlan(parameters);
  return { ...request, plan, ...(trace && { traceparent: formatTraceparent(trace) }) };
}

/** Thrown if the parser stopped, was killed or got stuck instead of answering. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

class ParserStuck extends NoAnswer {}

async function callWithRetries<Value>(
  service: ParserService,
  patience: RetryPolicy,
  work: (isWanted: IsWanted) => Promise<Answer<Value>>,
  checkpoint: () => Promise<void>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callOnce(patience, work, checkpoint);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (attempt === patience.attempts) throw await createFinalError(service, patience, error);
      await scheduler.wait(patience.pauseMs * attempt);
    }
  }
}

async function callOnce<Value>(
  { heartbeatTimeoutMs }: RetryPolicy,
  work: (isWanted: IsWanted) => Promise<Answer<Value>>,
  checkpoint: () => Promise<void>,
): Promise<Value> {
  let stop: { reason: unknown } | undefined;
  let lastHeartbeat = Date.now();
  const isWanted = async () => {
    lastHeartbeat = Date.now();
    if (stop) return false;
    await checkpoint().catch((reason: unknown) => {
      stop ??= { reason };
    });
    return stop === undefined;
  };
  const silence = watchHeartbeat(heartbeatTimeoutMs, () => lastHeartbeat);
  try {
    const answer = await Promise.race([work(isWanted).catch(throwNoAnswer), silence.over]);
    if (stop) throw stop.reason;
    if ('failure' in answer) throw rehydrate(answer.failure);
    return answer.value;
  } finally {
    // Makes an abandoned attempt stop at its next checkpoint.
    stop ??= { reason: undefined };
    silence.end();
  }
}

function throwNoAnswer(error: unknown): never {
  const message = getErrorMessage(error);
  // On a single machine, a supervisor stops a stuck parser. Its message says so.
  const Failed = message.includes(PARSER_STUCK) ? ParserStuck : NoAnswer;
  throw new Failed(message, { cause: error });
}

/** Watches the heartbeat of the parser. `over` rejects after this many milliseconds without a heartbeat. */
function watchHeartbeat(
  milliseconds: number,
  getLastHeartbeat: () => number,
): { over: Promise<never>; end(): void } {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const look = () => {
    if (Date.now() - getLastHeartbeat() >= milliseconds)
      reject(new ParserStuck(`no heartbeat for ${milliseconds} ms`));
  };
  const timer = setInterval(look, Math.max(10, milliseconds / 10));
  return { over, end: () => clearInterval(timer) };
}

/**
 * Creates the error after the last attempt. If the parser answers another call, the file itself made the
 * parser stop.
 */
async function createFinalError(
  service: ParserService,
  { attempts, heartbeatTimeoutMs }: RetryPolicy,
  error: NoAnswer,
) {
  const isAlive = await Promise.race([
    service.ocrId().then(
      () => true,
      () => false,
    ),
    scheduler.wait(heartbeatTimeoutMs).then(() => false),
  ]);
  if (!isAlive) return new Unavailable(`The parser does not answer: ${error.message}`, error);
  const [reason, what] =
    error instanceof ParserStuck
      ? (['TIMEOUT', 'got stuck while reading the file'] as const)
      : (['PARSER_CRASHED', 'ran out of memory or time, or crashed, while reading the file'] as const);
  return new ParseError(reason, `The parser ${what} ${attempts} times (${error.message}).`, error);
}

function rehydrate({ code, message, retryable, reason, retryAfter }: Failure): DomainError {
  if (reason) return ParseError.of(reason, message);
  if (code === 'upstream') {
    return new Upstream(message, { retryable, ...(retryAfter !== undefined && { retryAfter }) });
  }
  return new DomainError(code, message, { retryable });
}
