import type { EncodedImage, Figure, Omission, Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import { withOmissions } from '#src/formats/shared/containers/unread-parts.ts';
import type { ParseInput, Parser } from '#src/formats/shared/driver.ts';
import type { OpenDocument, PageOptions } from '#src/formats/shared/open-document.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { listAttachments } from './attachments.ts';
import { copyPages } from './copy-pages.ts';
import { renderForReading, renderPage } from './drawing/render.ts';
import { EngineTrap } from './engine/engine.ts';
import { MAX_PDF_BYTES, PdfSession } from './engine/session.ts';
import {
  figureName,
  judgeImage,
  MAX_FIGURES_PER_PAGE,
  readImage,
  readImages,
  toFigure,
  undecodable,
} from './figures.ts';
import type { Outline } from './metadata.ts';
import { readLabel, readMetadata, readOutline } from './metadata.ts';
import { buildPage } from './page.ts';
import type { PageScan } from './scan.ts';
import { scanPage } from './scan.ts';
import { bodyType } from './text/body.ts';
import { edgeLines } from './text/running.ts';
import { unmappedLetters } from './text/unmapped-letters.ts';

/**
 * Number of pages on each side that are compared to find running lines. Two, because left and right pages
 * often differ.
 */
const REACH = 2;
/** Number of characters that suffice to detect a language. */
const TELLING_LENGTH = 600;
const MANY_WORDS = 10_000;
const KEPT_IMAGE_BYTES = 8 * 1024 * 1024;

export const pdfParser: Parser = { open };

async function open({ bytes, plan, budget }: ParseInput): Promise<OpenDocument> {
  if (bytes.byteLength === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'the file is empty');
  if (bytes.byteLength > MAX_PDF_BYTES) {
    const limit = MAX_PDF_BYTES / 1024 / 1024;
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `the PDF has more than the ${limit} MB that can be read at once`,
    );
  }
  try {
    return await openWith(bytes, plan, budget, '');
  } catch (error) {
    // Many encrypted files open without a password, so the password is only used if one is required.
    const isLocked = error instanceof ParseError && error.reason === 'PDF_IS_PROTECTED';
    if (!isLocked || !plan.pages.password) throw error;
    return { ...(await openWith(bytes, plan, budget, plan.pages.password)), unlocked: true };
  }
}

async function openWith(
  bytes: Uint8Array,
  plan: ParsePlan,
  budget: WorkBudget,
  password: string,
): Promise<OpenDocument> {
  const session = new PdfSession(bytes, 'reading', password);
  // The file is loaded only when something is drawn.
  const canvas = new PdfSession(bytes, 'drawing', password);
  try {
    const opened = await session.run((engine, document) => {
      const { raw } = engine;
      const pageCount = raw.FPDF_GetPageCount(document);
      if (pageCount <= 0) throw withoutPages(raw.FPDF_DocumentHasValidCrossReferenceTable(document) !== 0);
      const metadata = withOmissions(readMetadata(engine, document), listAttachments(engine, document));
      return { pageCount, metadata, outline: readOutline(engine, document) };
    });
    const reader = new PdfReader(session, opened.pageCount, opened.outline, plan);
    const language = opened.metadata.language ?? (await reader.language(budget));
    return {
      pageCount: opened.pageCount,
      metadata: { ...opened.metadata, ...(language && { language }) },
      readPage: (index, turn, options) => reader.readPage(index, turn, options),
      readFigure: (pageIndex, name) => reader.readFigure(pageIndex, name),
      renderPage: (index, options) => {
        reader.check(index);
        const { dpi, reading } = options ?? {};
        return reading ? renderForReading(canvas, index, reading) : renderPage(canvas, index, dpi);
      },
      copyPages: (indexes) => copyPages(session, indexes),
      close() {
        session.close();
        canvas.close();
      },
    };
  } catch (error) {
    session.close();
    if (!(error instanceof EngineTrap)) throw error;
    throw new ParseError(
      'PDF_IS_BROKEN',
      'the file cannot be opened; it is damaged, or needs more memory than there is',
      error,
    );
  }
}

function listLostPictures(damaged: number, surplus: number): Omission[] {
  const found: Omission[] = [];
  if (damaged > 0) {
    const message = `${damaged} of the page's pictures cannot be decoded.`;
    found.push({ kind: 'picture_not_read', message });
  }
  if (surplus > 0) {
    const message = `${surplus} of the page's pictures are not read: ${MAX_FIGURES_PER_PAGE} of a page are.`;
    found.push({ kind: 'too_many_pictures', message });
  }
  return found;
}

function withoutPages(intact: boolean): ParseError {
  return intact
    ? new ParseError('NO_DATA_FOUND_IN_FILE', 'the PDF has no pages')
    : new ParseError('PDF_IS_BROKEN', 'the file is damaged or cut off, and no page of it could be recovered');
}

function withoutScan(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}

class PdfReader {
  readonly #session: PdfSession;
  readonly #pageCount: number;
  readonly #outline: Outline;
  readonly #plan: ParsePlan;
  /** Scans of the pages around the last one, so that sequential reading scans each page once. */
  readonly #scans = new Map<number, Promise<PageScan>>();
  readonly #images = new Map<string, EncodedImage>();
  #imageBytes = 0;

  constructor(session: PdfSession, pageCount: number, outline: Outline, plan: ParsePlan) {
    this.#session = session;
    this.#pageCount = pageCount;
    this.#outline = outline;
    this.#plan = plan;
  }

  check(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.#pageCount) {
      throw new RangeError(`page ${index} of ${this.#pageCount}`);
    }
  }

  /** Detects the language from the first pages, whose scans are kept. */
  async language(budget: WorkBudget): Promise<string | undefined> {
    let text = '';
    for (
      let index = 0;
      index <= Math.min(REACH, this.#pageCount - 1) && text.length < TELLING_LENGTH;
      index++
    ) {
      budget.spend('page');
      // A damaged page is skipped here; reading it reports the error.
      const scan = await this.#scan(index).catch(withoutScan);
      budget.spend('word', scan?.words.length ?? 0);
      text += `${scan?.words.map((word) => word.text).join(' ') ?? ''}\n`;
    }
    return detectLanguage(text);
  }

  async readPage(index: number, turn?: () => Promise<void>, options: PageOptions = {}): Promise<Page> {
    this.check(index);
    const scan = await this.#scan(index);
    if (this.#plan.pages.strict.fonts) await this.#checkFonts(index);
    const neighbours = await this.#neighbours(index);
    // Laying out so many words takes as long as reading them.
    if (scan.words.length > MANY_WORDS) await turn?.();
    const label = await this.#session.run((engine, document) => readLabel(engine, document, index));
    const { figures, omissions } = await this.#figures(index, scan, neighbours, turn);
    const page = buildPage({
      index,
      label,
      scan,
      neighbours: neighbours.map(edgeLines),
      outline: this.#outline.get(index) ?? new Map(),
      figures,
      body: bodyType([scan, ...neighbours]),
      plan: this.#plan,
      mappedOnly: options.mappedOnly,
    });
    if (omissions.length > 0) page.omissions = [...(page.omissions ?? []), ...omissions];
    return page;
  }

  async #checkFonts(index: number): Promise<void> {
    const unmapped = await this.#session.onPage(index, (engine, _, page) => unmappedLetters(engine, page));
    if (unmapped === 0) return;
    const message = `on page ${index + 1}, fonts do not say which letters ${unmapped} of their signs are`;
    throw StrictModeError.because('strict_mode_buggy_font', 'PDF_IS_BROKEN', message);
  }

  async #checkPictures(index: number): Promise<void> {
    const lost = await this.#session.onPage(index, (engine, _, page) =>
      undecodable(engine, page, MAX_FIGURES_PER_PAGE),
    );
    if (lost === 0) return;
    const message = `${lost} of the pictures of page ${index + 1} cannot be decoded`;
    throw StrictModeError.because('strict_mode_image_extraction', 'PDF_IS_BROKEN', message);
  }

  async readFigure(pageIndex: number, name: string): Promise<EncodedImage | undefined> {
    this.check(pageIndex);
    const kept = this.#images.get(name);
    if (kept) return kept;
    const match = /^page_(\d+)_figure_(\d+)\.(?:png|jpg)$/.exec(name);
    if (!match || Number(match[1]) !== pageIndex + 1) return undefined;
    const index = Number(match[2]) - 1;
    const image = await readImage(this.#session, pageIndex, index);
    return image && figureName(pageIndex, index, image.mimeType) === name ? image : undefined;
  }

  async #figures(
    index: number,
    scan: PageScan,
    neighbours: readonly PageScan[],
    turn?: () => Promise<void>,
  ): Promise<{ figures: Figure[]; omissions: Omission[] }> {
    if (!this.#plan.images.extract) return { figures: [], omissions: [] };
    if (this.#plan.pages.strict.images) await this.#checkPictures(index);
    const figures: Figure[] = [];
    let damaged = 0;
    const areas = scan.images.slice(0, MAX_FIGURES_PER_PAGE);
    let at = -1;
    for await (const image of readImages(this.#session, index, 0, areas.length, turn)) {
      const area = areas[++at]!;
      // A picture that cannot be decoded must not cost the page its text.
      if (!image) {
        damaged += 1;
        continue;
      }
      const figure = toFigure(index, at, area, image, judgeImage(area, scan, neighbours));
      figures.push(figure);
      this.#keep(figure.name, image);
    }
    return { figures, omissions: listLostPictures(damaged, scan.images.length - areas.length) };
  }

  /** Pictures of a page are usually requested right after the page. */
  #keep(name: string, image: EncodedImage): void {
    if (image.bytes.byteLength > KEPT_IMAGE_BYTES || this.#images.has(name)) return;
    this.#images.set(name, image);
    this.#imageBytes += image.bytes.byteLength;
    for (const [oldest, { bytes }] of this.#images) {
      if (this.#imageBytes <= KEPT_IMAGE_BYTES) break;
      this.#images.delete(oldest);
      this.#imageBytes -= bytes.byteLength;
    }
  }

  /** A page that failed to scan is not scanned again, because the failure may take a second. */
  #scan(index: number): Promise<PageScan> {
    let scan = this.#scans.get(index);
    if (!scan) {
      const measured = this.#plan.layout.preciseBoxes;
      scan = this.#session.onPage(index, (...visit) => scanPage(...visit, measured));
      // Callers that await the scan receive the error.
      scan.catch(() => {});
      this.#scans.set(index, scan);
    }
    return scan;
  }

  async #neighbours(index: number): Promise<PageScan[]> {
    const found: PageScan[] = [];
    for (const at of this.#scans.keys()) if (Math.abs(at - index) > REACH) this.#scans.delete(at);
    for (let at = Math.max(0, index - REACH); at <= Math.min(this.#pageCount - 1, index + REACH); at++) {
      if (at === index) continue;
      // A damaged neighbour does not affect this page; reading it reports the error.
      const scan = await this.#scan(at).catch(() => undefined);
      if (scan) found.push(scan);
    }
    return found;
  }
}
