import { WorkerEntrypoint } from 'cloudflare:workers';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { continueTrace, runInTrace } from '#src/lib/trace.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { openConfiguredOcr } from '#src/models/ocr/configured.ts';
import { getConfiguredOcrId } from '#src/models/ocr/registry.ts';
import { readOcrSettings } from '#src/models/ocr/settings.ts';
import type {
  Answer,
  IsWanted,
  ParseResult,
  ParserRequest,
  ParserService,
  SmallPicture,
} from '#src/parse/service.ts';
import { disposable, openStored, parseFile, parseRanges } from '#src/parse-file/parse-file.ts';
import { drawPagesWithin, findFiguresWithin, storeFigure } from '#src/parse-file/pictures.ts';
import { storeDrawnPage } from '#src/parse-file/store-drawn-page.ts';
import { storePdf } from '#src/parse-file/store-pdf.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { type Admission, MemoryAdmission } from './memory-admission.ts';
import { runWhileWanted } from './run-while-wanted.ts';
import { toAnswer } from './to-answer.ts';

export type ParserBindings = ModelDeps['bindings'] & { FILES: R2Bucket };

/**
 * Maximum number of Markdown characters of a document whose pages are in the response. For larger documents,
 * the caller reads the pages from the bucket.
 */
const MAX_CHARACTERS_ANSWERED = 500_000;
/**
 * Maximum number of Markdown characters of all files in the response of one `parseFiles` call. The response
 * contains each character three times: as text, as Markdown and in blocks.
 */
const MAX_CHARACTERS_ANSWERED_TOGETHER = 2_000_000;

const isolateMemory = new MemoryAdmission();

const ASKING_MS = 100;

/**
 * Limits how often a checkpoint asks the caller whether the result is still wanted. Small files finish before
 * the first question.
 */
function throttle(checkpoint: () => Promise<void>): () => Promise<void> {
  let options = Date.now();
  return async () => {
    if (Date.now() - options < ASKING_MS) return;
    options = Date.now();
    await checkpoint();
  };
}

const countCharacters = ({ pages = [] }: ParseResult) =>
  pages.reduce((sum, page) => sum + page.markdown.length, 0);

const withoutPages = (result: ParseResult): ParseResult => ({ ...result, pages: undefined });

/**
 * Processes a document once there is enough free memory. Sends heartbeats while waiting and while working.
 */
function runAdmitted<Value>(
  { projectId, size, traceparent }: Pick<ParserRequest, 'projectId' | 'size' | 'traceparent'>,
  isWanted: IsWanted,
  work: (checkpoint: () => Promise<void>, admit: Admission['resize']) => Promise<Value>,
): Promise<Answer<Value>> {
  return toAnswer(() =>
    runWhileWanted(isWanted, async (checkpoint) => {
      using admission = await isolateMemory.admit(projectId, size);
      // Stops here if the caller disconnected while the document waited for memory.
      await checkpoint();
      // The result must be awaited here, because `using` frees the reserved memory when this block ends.
      return await runInTrace(continueTrace(traceparent), () =>
        work(checkpoint, (bytes) => admission.resize(Math.max(bytes, size))),
      );
    }),
  );
}

/**
 * Shares one memory reservation among files that are processed concurrently. Each file adds its own size and
 * subtracts the size at the end.
 */
function shareAdmission(correct: Admission['resize']): () => Disposable & { admit: Admission['resize'] } {
  let total = 0;
  let last = Promise.resolve();
  const change = (bytes: number) => {
    last = last.then(() => {
      total += bytes;
      return correct(total);
    });
    return last;
  };
  return () => {
    let taken = 0;
    return {
      admit: (bytes) => {
        taken += bytes;
        return change(bytes);
      },
      [Symbol.dispose]: () => void change(-taken),
    };
  };
}

/** Parses and renders documents in a separate isolate, so that a hostile file cannot affect queries. */
export default class Parser extends WorkerEntrypoint<ParserBindings> implements ParserService {
  async ocrId(): Promise<string> {
    return getConfiguredOcrId(readOcrSettings(this.env), this.env) ?? '';
  }

  parseFile(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParseResult>> {
    return runAdmitted(request, isWanted, async (checkpoint, admit) => {
      const options = { ...request, admit, ocr: this.#ocr() };
      const result = await parseFile(this.env.FILES, options, checkpoint);
      return countCharacters(result) > MAX_CHARACTERS_ANSWERED ? withoutPages(result) : result;
    });
  }

  parseFiles(requests: ParserRequest[], isWanted: IsWanted): Promise<Answer<Answer<ParseResult>[]>> {
    const [{ projectId, traceparent }] = requests as [ParserRequest];
    const size = requests.reduce((sum, each) => sum + each.size, 0);
    const ocr = this.#ocr();
    let left = MAX_CHARACTERS_ANSWERED_TOGETHER;
    return runAdmitted({ projectId, size, traceparent }, isWanted, (checkpoint, correct) => {
      const progress = throttle(checkpoint);
      const share = shareAdmission(correct);
      return inParallel(requests, (request) =>
        toAnswer(async () => {
          using admission = share();
          const result = await parseFile(
            this.env.FILES,
            { ...request, admit: admission.admit, ocr },
            progress,
          );
          left -= countCharacters(result);
          return left < 0 ? withoutPages(result) : result;
        }),
      );
    });
  }

  parseRanges(request: ParserRequest, ranges: PageRange[], isWanted: IsWanted): Promise<Answer<PageRange[]>> {
    return runAdmitted(request, isWanted, (checkpoint, admit) =>
      parseRanges(this.env.FILES, { ...request, admit, ocr: this.#ocr() }, ranges, checkpoint),
    );
  }

  keepPdf(request: ParserRequest, isWanted: IsWanted): Promise<Answer<null>> {
    return runAdmitted(request, isWanted, async (checkpoint, admit) => {
      await storePdf(this.env.FILES, { ...request, admit }, checkpoint);
      return null;
    });
  }

  describe(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParsedFile>> {
    return runAdmitted(request, isWanted, async (_, admit) => {
      using document = disposable(await openStored(this.env.FILES, { ...request, admit }));
      const { kind, pageCount, metadata } = document;
      return { kind, pageCount, metadata };
    });
  }

  drawPage(
    request: ParserRequest,
    pageIndex: number,
    small: SmallPicture | null,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return runAdmitted(request, isWanted, async (_, admit) => {
      using document = disposable(await openStored(this.env.FILES, { ...request, admit }));
      await storeDrawnPage(this.env.FILES, request, document, pageIndex, small);
      return null;
    });
  }

  drawPages(
    request: ParserRequest,
    pageIndexes: number[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return runAdmitted(request, isWanted, async (_, admit) => {
      await drawPagesWithin(this.env.FILES, { ...request, admit }, pageIndexes, budgetMs);
      return null;
    });
  }

  findFigures(
    request: ParserRequest,
    ranges: PageRange[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return runAdmitted(request, isWanted, async (_, admit) => {
      await findFiguresWithin(this.env.FILES, { ...request, admit }, ranges, budgetMs);
      return null;
    });
  }

  keepFigure(
    request: ParserRequest,
    pageIndex: number,
    name: string,
    isWanted: IsWanted,
  ): Promise<Answer<boolean>> {
    return runAdmitted(request, isWanted, (_, admit) =>
      storeFigure(this.env.FILES, { ...request, admit }, pageIndex, name),
    );
  }

  override fetch(): Response {
    return new Response('Reached through its service binding only.', { status: 404 });
  }

  #ocr(): Ocr | undefined {
    return openConfiguredOcr(readOcrSettings(this.env), this.env);
  }
}
