import type { EncodedImage, Figure, Omission, Page } from '#src/documents/document.ts';
import { ParseError, StrictModeError } from '#src/documents/errors.ts';
import { withOmissions } from '#src/formats/shared/containers/unread-parts.ts';
import type { OpenDocument, PageOptions } from '#src/formats/shared/open-document.ts';
import type { ParseInput, Parser } from '#src/formats/shared/parser.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { listAttachments } from './attachments.ts';
import { copyPages } from './copy-pages.ts';
import { renderForReading, renderPage } from './drawing/render.ts';
import { EngineTrap } from './engine/engine.ts';
import { MAX_PDF_BYTES, PdfSession } from './engine/session.ts';
import {
  buildFigureName,
  countUndecodable,
  MAX_FIGURES_PER_PAGE,
  rateImage,
  readImage,
  readImages,
  toFigure,
} from './figures.ts';
import type { Outline } from './metadata.ts';
import { readLabel, readMetadata, readOutline } from './metadata.ts';
import { buildPage } from './page.ts';
import type { PageScan } from './scan.ts';
import { scanPage } from './scan.ts';
import { detectBodyType } from './text/body.ts';
import { ignoreParseError, learnHeadingStyles, listSampledPages } from './text/headings/sample.ts';
import type { HeadingStyles } from './text/headings/styles.ts';
import { readEdgeLines } from './text/running/running.ts';
import { countUnmappedLetters } from './text/unmapped-letters.ts';
import { Vocabulary } from './text/vocabulary.ts';

/**
 * Number of pages on each side that are compared to find running headers and footers. Two are needed, because
 * left and right pages often differ.
 */
const REACH = 2;
/** Number of characters that suffice to detect the language. */
const MIN_LANGUAGE_CHARACTERS = 600;
const MANY_WORDS = 10_000;
const IMAGE_CACHE_BYTES = 8 * 1024 * 1024;

export const pdfParser: Parser = { open };

async function open({ bytes, plan, budget }: ParseInput): Promise<OpenDocument> {
  if (bytes.byteLength === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file is empty.');
  if (bytes.byteLength > MAX_PDF_BYTES) {
    const limit = MAX_PDF_BYTES / 1024 / 1024;
    throw new ParseError('DOCUMENT_TOO_LARGE', `The PDF is larger than ${limit} MiB, which is the limit.`);
  }
  try {
    return await openWith(bytes, plan, budget, '');
  } catch (error) {
    // Many encrypted files open without a password, so the password is only used if it is required.
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
  // This session loads the file only when a page is drawn.
  const canvas = new PdfSession(bytes, 'drawing', password);
  try {
    const opened = await session.run((engine, document) => {
      const { raw } = engine;
      const pageCount = raw.FPDF_GetPageCount(document);
      if (pageCount <= 0)
        throw createNoPagesError(raw.FPDF_DocumentHasValidCrossReferenceTable(document) !== 0);
      const metadata = withOmissions(readMetadata(engine, document), listAttachments(engine, document));
      return { pageCount, metadata, outline: readOutline(engine, document) };
    });
    const reader = new PdfReader(session, opened.pageCount, opened.outline, plan);
    const language = opened.metadata.language ?? (await reader.detectDocumentLanguage(budget));
    return {
      pageCount: opened.pageCount,
      metadata: { ...opened.metadata, ...(language && { language }) },
      readPage: (index, turn, options) => reader.readPage(index, turn, options),
      readFigure: (pageIndex, name) => reader.readFigure(pageIndex, name),
      renderPage: (index, options) => {
        reader.checkIndex(index);
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
      'The PDF cannot be opened because it is damaged or needs too much memory.',
      error,
    );
  }
}

function listLostPictures(damaged: number, surplus: number): Omission[] {
  const found: Omission[] = [];
  if (damaged > 0) {
    const message = `${damaged} of the page's pictures could not be decoded.`;
    found.push({ kind: 'picture_not_read', message });
  }
  if (surplus > 0) {
    const message = `${surplus} of the page's pictures were skipped because only ${MAX_FIGURES_PER_PAGE} are read per page.`;
    found.push({ kind: 'too_many_pictures', message });
  }
  return found;
}

function createNoPagesError(intact: boolean): ParseError {
  return intact
    ? new ParseError('NO_DATA_FOUND_IN_FILE', 'The PDF has no pages.')
    : new ParseError('PDF_IS_BROKEN', 'The file is damaged or cut off, and no page could be recovered.');
}

class PdfReader {
  readonly #session: PdfSession;
  readonly #pageCount: number;
  readonly #outline: Outline;
  readonly #plan: ParsePlan;
  /**
   * Scans of the pages around the last page that was read, and of later sampled pages, so that sequential reading
   * scans each page once.
   */
  readonly #scans = new Map<number, Promise<PageScan>>();
  readonly #sampled: ReadonlySet<number>;
  #headingStyles: HeadingStyles | undefined;
  readonly #images = new Map<string, EncodedImage>();
  #imageBytes = 0;

  constructor(session: PdfSession, pageCount: number, outline: Outline, plan: ParsePlan) {
    this.#session = session;
    this.#pageCount = pageCount;
    this.#sampled = new Set(listSampledPages(pageCount));
    this.#outline = plan.layout.ignoreOutline ? new Map() : outline;
    this.#plan = plan;
  }

  checkIndex(index: number): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.#pageCount) {
      throw new RangeError(`page ${index} of ${this.#pageCount}`);
    }
  }

  /** Detects the language from the first pages. Their scans stay cached. */
  async detectDocumentLanguage(budget: WorkBudget): Promise<string | undefined> {
    let text = '';
    for (
      let index = 0;
      index <= Math.min(REACH, this.#pageCount - 1) && text.length < MIN_LANGUAGE_CHARACTERS;
      index++
    ) {
      budget.spend('page');
      // A damaged page is skipped here. Reading the page reports its error.
      const scan = await this.#scan(index).catch(ignoreParseError);
      budget.spend('word', scan?.words.length ?? 0);
      text += `${scan?.words.map((word) => word.text).join(' ') ?? ''}\n`;
    }
    return detectLanguage(text);
  }

  async readPage(index: number, turn?: () => Promise<void>, options: PageOptions = {}): Promise<Page> {
    this.checkIndex(index);
    const scan = await this.#scan(index);
    if (this.#plan.pages.strict.fonts) await this.#checkFonts(index);
    const neighbours = await this.#neighbours(index);
    this.#headingStyles ??= await learnHeadingStyles(this.#pageCount, this.#outline, (at) => this.#scan(at));
    // Laying out this many words takes as long as reading them.
    if (scan.words.length > MANY_WORDS) await turn?.();
    const label = await this.#session.run((engine, document) => readLabel(engine, document, index));
    const { figures, omissions } = await this.#figures(index, scan, neighbours, turn);
    const page = buildPage({
      index,
      label,
      scan,
      neighbours: neighbours.map(readEdgeLines),
      outline: this.#outline.get(index) ?? new Map(),
      figures,
      body: detectBodyType([scan, ...neighbours]),
      headingStyles: this.#headingStyles,
      vocabulary: new Vocabulary([scan, ...neighbours]),
      plan: this.#plan,
      mappedOnly: options.mappedOnly,
    });
    if (omissions.length > 0) page.omissions = [...(page.omissions ?? []), ...omissions];
    return page;
  }

  async #checkFonts(index: number): Promise<void> {
    const unmapped = await this.#session.onPage(index, (engine, _, page) =>
      countUnmappedLetters(engine, page),
    );
    if (unmapped === 0) return;
    const message = `on page ${index + 1}, the fonts define no Unicode value for ${unmapped} of the characters`;
    throw StrictModeError.forParameter('strict_mode_buggy_font', 'PDF_IS_BROKEN', message);
  }

  async #checkPictures(index: number): Promise<void> {
    const lost = await this.#session.onPage(index, (engine, _, page) =>
      countUndecodable(engine, page, MAX_FIGURES_PER_PAGE),
    );
    if (lost === 0) return;
    const message = `${lost} of the pictures on page ${index + 1} cannot be decoded`;
    throw StrictModeError.forParameter('strict_mode_image_extraction', 'PDF_IS_BROKEN', message);
  }

  async readFigure(pageIndex: number, name: string): Promise<EncodedImage | undefined> {
    this.checkIndex(pageIndex);
    const cached = this.#images.get(name);
    if (cached) return cached;
    const match = /^page_(\d+)_figure_(\d+)\.(?:png|jpg)$/.exec(name);
    if (!match || Number(match[1]) !== pageIndex + 1) return undefined;
    const index = Number(match[2]) - 1;
    const image = await readImage(this.#session, pageIndex, index);
    return image && buildFigureName(pageIndex, index, image.mimeType) === name ? image : undefined;
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
      // A picture that cannot be decoded must not prevent the text of the page from being read.
      if (!image) {
        damaged += 1;
        continue;
      }
      const figure = toFigure(index, at, area, image, rateImage(area, scan, neighbours));
      figures.push(figure);
      this.#cacheImage(figure.name, image);
    }
    return { figures, omissions: listLostPictures(damaged, scan.images.length - areas.length) };
  }

  /** Caches a picture, because pictures of a page are usually requested right after the page. */
  #cacheImage(name: string, image: EncodedImage): void {
    if (image.bytes.byteLength > IMAGE_CACHE_BYTES || this.#images.has(name)) return;
    this.#images.set(name, image);
    this.#imageBytes += image.bytes.byteLength;
    for (const [oldest, { bytes }] of this.#images) {
      if (this.#imageBytes <= IMAGE_CACHE_BYTES) break;
      this.#images.delete(oldest);
      this.#imageBytes -= bytes.byteLength;
    }
  }

  /**
   * Returns the scan of a page. A failed scan stays cached and is not repeated, because it may take a second.
   */
  #scan(index: number): Promise<PageScan> {
    let scan = this.#scans.get(index);
    if (!scan) {
      const { layout, images } = this.#plan;
      // Signatures tell which extracted images are repeated on other pages.
      const options = { measured: layout.preciseBoxes, signatures: images.extract };
      scan = this.#session.onPage(index, (...visit) => scanPage(...visit, options));
      // Prevents an unhandled rejection. Callers that await the scan receive the error.
      scan.catch(() => {});
      this.#scans.set(index, scan);
    }
    return scan;
  }

  async #neighbours(index: number): Promise<PageScan[]> {
    const found: PageScan[] = [];
    for (const at of this.#scans.keys()) {
      const isLater = at > index && this.#sampled.has(at);
      if (Math.abs(at - index) > REACH && !isLater) this.#scans.delete(at);
    }
    for (let at = Math.max(0, index - REACH); at <= Math.min(this.#pageCount - 1, index + REACH); at++) {
      if (at === index) continue;
      // A damaged neighbor does not affect this page. Reading the neighbor reports its error.
      const scan = await this.#scan(at).catch(() => undefined);
      if (scan) found.push(scan);
    }
    return found;
  }
}
