import { WorkerEntrypoint } from 'cloudflare:workers';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { continuedFrom, withinTrace } from '#src/lib/trace.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import { configuredOcr } from '#src/models/ocr/configured.ts';
import { configuredOcrId } from '#src/models/ocr/registry.ts';
import { ocrSettingsOf } from '#src/models/ocr/settings.ts';
import type {
  Answer,
  IsWanted,
  ParseResult,
  ParserRequest,
  ParserService,
  SmallPicture,
} from '#src/parse/service.ts';
import { drawInto } from '#src/parse-file/draw-into.ts';
import { keepPdf } from '#src/parse-file/keep-pdf.ts';
import { disposable, openStored, parseFile, parseRanges } from '#src/parse-file/parse-file.ts';
import { drawWithin, findFiguresWithin, keepFigure } from '#src/parse-file/pictures.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { answered } from './answer.ts';
import { type Admission, MemoryAdmission } from './memory-admission.ts';
import { whileWanted } from './while-wanted.ts';

export type ParserBindings = ModelDeps['bindings'] & { FILES: R2Bucket };

/** Pages of more text than this are read from the bucket by who wants them. */
const MAX_CHARACTERS_ANSWERED = 500_000;
/** Of small files together: each character is in the answer as text, Markdown and blocks. */
const MAX_CHARACTERS_ANSWERED_TOGETHER = 2_000_000;

const isolateMemory = new MemoryAdmission();

const ASKING_MS = 100;

/** Small files follow each other faster than their caller wants to be asked. */
function nowAndThen(checkpoint: () => Promise<void>): () => Promise<void> {
  let asked = Date.now();
  return async () => {
    if (Date.now() - asked < ASKING_MS) return;
    asked = Date.now();
    await checkpoint();
  };
}

const charactersOf = ({ pages = [] }: ParseResult) =>
  pages.reduce((sum, page) => sum + page.markdown.length, 0);

const withoutPages = (result: ParseResult): ParseResult => ({ ...result, pages: undefined });

/** Works on a document once there is memory for it, and beats while it waits and while it works. */
function holding<Value>(
  { projectId, size, traceparent }: Pick<ParserRequest, 'projectId' | 'size' | 'traceparent'>,
  isWanted: IsWanted,
  work: (checkpoint: () => Promise<void>, admit: Admission['correct']) => Promise<Value>,
): Promise<Answer<Value>> {
  return answered(() =>
    whileWanted(isWanted, async (checkpoint) => {
      using admission = await isolateMemory.admit(projectId, size);
      // Who waited long may have left.
      await checkpoint();
      // Awaited here: `using` frees the memory as soon as this block is left.
      return await withinTrace(continuedFrom(traceparent), () =>
        work(checkpoint, (bytes) => admission.correct(Math.max(bytes, size))),
      );
    }),
  );
}

/** Divides one admission among files that are open beside each other: each adds what it takes, and frees it at its end. */
function shareAdmission(correct: Admission['correct']): () => Disposable & { admit: Admission['correct'] } {
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

/** Reads and draws documents in the bucket, in an isolate of its own: a hostile file costs no query its answer. */
export default class Parser extends WorkerEntrypoint<ParserBindings> implements ParserService {
  async ocrId(): Promise<string> {
    return configuredOcrId(ocrSettingsOf(this.env), this.env) ?? '';
  }

  parseFile(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParseResult>> {
    return holding(request, isWanted, async (checkpoint, admit) => {
      const asked = { ...request, admit, ocr: this.#ocr() };
      const result = await parseFile(this.env.FILES, asked, checkpoint);
      return charactersOf(result) > MAX_CHARACTERS_ANSWERED ? withoutPages(result) : result;
    });
  }

  parseFiles(requests: ParserRequest[], isWanted: IsWanted): Promise<Answer<Answer<ParseResult>[]>> {
    const [{ projectId, traceparent }] = requests as [ParserRequest];
    const size = requests.reduce((sum, each) => sum + each.size, 0);
    const ocr = this.#ocr();
    let left = MAX_CHARACTERS_ANSWERED_TOGETHER;
    return holding({ projectId, size, traceparent }, isWanted, (checkpoint, correct) => {
      const progress = nowAndThen(checkpoint);
      const share = shareAdmission(correct);
      return inParallel(requests, (request) =>
        answered(async () => {
          using admission = share();
          const result = await parseFile(
            this.env.FILES,
            { ...request, admit: admission.admit, ocr },
            progress,
          );
          left -= charactersOf(result);
          return left < 0 ? withoutPages(result) : result;
        }),
      );
    });
  }

  parseRanges(request: ParserRequest, ranges: PageRange[], isWanted: IsWanted): Promise<Answer<PageRange[]>> {
    return holding(request, isWanted, (checkpoint, admit) =>
      parseRanges(this.env.FILES, { ...request, admit, ocr: this.#ocr() }, ranges, checkpoint),
    );
  }

  keepPdf(request: ParserRequest, isWanted: IsWanted): Promise<Answer<null>> {
    return holding(request, isWanted, async (checkpoint, admit) => {
      await keepPdf(this.env.FILES, { ...request, admit }, checkpoint);
      return null;
    });
  }

  describe(request: ParserRequest, isWanted: IsWanted): Promise<Answer<ParsedFile>> {
    return holding(request, isWanted, async (_, admit) => {
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
    return holding(request, isWanted, async (_, admit) => {
      using document = disposable(await openStored(this.env.FILES, { ...request, admit }));
      await drawInto(this.env.FILES, request, document, pageIndex, small);
      return null;
    });
  }

  drawPages(
    request: ParserRequest,
    pageIndexes: number[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return holding(request, isWanted, async (_, admit) => {
      await drawWithin(this.env.FILES, { ...request, admit }, pageIndexes, budgetMs);
      return null;
    });
  }

  findFigures(
    request: ParserRequest,
    ranges: PageRange[],
    budgetMs: number,
    isWanted: IsWanted,
  ): Promise<Answer<null>> {
    return holding(request, isWanted, async (_, admit) => {
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
    return holding(request, isWanted, (_, admit) =>
      keepFigure(this.env.FILES, { ...request, admit }, pageIndex, name),
    );
  }

  override fetch(): Response {
    return new Response('Reached through its service binding only.', { status: 404 });
  }

  #ocr(): Ocr | undefined {
    return configuredOcr(ocrSettingsOf(this.env), this.env);
  }
}
