import { ParseError } from '#src/documents/errors.ts';
import { findTilings, type Tiling } from '../drawing/tiling-cost.ts';
import type { Engine, Purpose } from './engine.ts';
import { copyIn, EngineTrap, getEngine, runGuarded, withName } from './engine.ts';

/**
 * Maximum size of a PDF in bytes. The engine copies the file into its memory while the caller holds it too. A
 * Worker has 128 MB.
 */
export const MAX_PDF_BYTES = 32 * 1024 * 1024;

/** Number of pages whose drawing was stopped after which no further page of the file is drawn. */
const MAX_STOPPED_DRAWINGS = 3;

const ERROR_PASSWORD = 4;
const ERROR_SECURITY = 5;

const broken = (message: string) => new ParseError('PDF_IS_BROKEN', message);

/**
 * A document that survives engine crashes. After a trap, the next use loads the file into a new engine
 * instance. Work is synchronous, so nothing else uses the engine's memory at the same time.
 */
export class PdfSession {
  readonly #bytes: Uint8Array;
  readonly #purpose: Purpose;
  readonly #password: string;
  #engine: Engine | undefined;
  #data = 0;
  #document = 0;
  #formInfo = 0;
  #form = 0;
  #closed = false;
  #tilings: Tiling[] | undefined;
  #stoppedDrawings = 0;

  constructor(bytes: Uint8Array, purpose: Purpose = 'reading', password = '') {
    this.#bytes = bytes;
    this.#purpose = purpose;
    this.#password = password;
  }

  /** Tiling patterns of the whole file. */
  get tilings(): readonly Tiling[] {
    this.#tilings ??= findTilings(this.#bytes);
    return this.#tilings;
  }

  /** Throws ParseError if the drawing of too many pages of the file was stopped. */
  checkDrawingAllowed(index: number): void {
    if (this.#stoppedDrawings < MAX_STOPPED_DRAWINGS) return;
    throw new ParseError(
      'TIMEOUT',
      `Page ${index + 1} is not drawn because ${this.#stoppedDrawings} pages of the file took too long to draw.`,
    );
  }

  /** Counts a page whose drawing was stopped, and returns the error to throw. */
  recordStoppedDrawing(index: number): ParseError {
    this.#stoppedDrawings += 1;
    return new ParseError('TIMEOUT', `Page ${index + 1} takes too long to draw.`);
  }

  async run<T>(work: (engine: Engine, document: number, form: number) => T): Promise<T> {
    const current = await getEngine(this.#purpose);
    if (this.#closed) throw new TypeError('the document is closed');
    return runGuarded(current, () => {
      if (this.#engine !== current) this.#load(current);
      return work(current, this.#document, this.#form);
    });
  }

  /** Runs work on one page and always closes the page. */
  async onPage<T>(
    index: number,
    work: (engine: Engine, document: number, page: number, form: number) => T,
  ): Promise<T> {
    try {
      return await this.run((current, document, form) => {
        const page = current.raw.FPDF_LoadPage(document, index);
        if (page === 0)
          throw broken(`Page ${index + 1} cannot be read because its description in the file is damaged.`);
        try {
          return work(current, document, page, form);
        } finally {
          if (!current.dead) closeQuietly(current, page);
        }
      });
    } catch (error) {
      if (!(error instanceof EngineTrap)) throw error;
      throw new ParseError(
        'PDF_IS_BROKEN',
        `Page ${index + 1} cannot be read because it is damaged or needs too much memory.`,
        error,
      );
    }
  }

  #load(target: Engine): void {
    const { raw } = target;
    this.#engine = undefined;
    this.#data = copyIn(target, this.#bytes);
    if (this.#data === 0) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        'The PDF does not fit into the memory that is available for one document.',
      );
    }
    const password = this.#password;
    this.#document = withName(target, password, (pointer) =>
      raw.FPDF_LoadMemDocument(this.#data, this.#bytes.byteLength, pointer),
    );
    if (this.#document !== 0) {
      this.#openForm(target);
      this.#engine = target;
      return;
    }
    const code = raw.FPDF_GetLastError();
    raw.free(this.#data);
    if (code === ERROR_PASSWORD) {
      const message =
        password === ''
          ? 'The PDF is encrypted with a password. Set the parse parameter `password` to open it.'
          : 'The password does not open the PDF.';
      throw new ParseError('PDF_IS_PROTECTED', message);
    }
    if (code === ERROR_SECURITY) {
      throw new ParseError('PDF_IS_PROTECTED', 'The PDF is encrypted in a way that cannot be opened here.');
    }
    throw broken('The file is damaged, cut off or not a PDF.');
  }

  /**
   * Opens the form environment, without which fields have no values and appearances. The form handle stays 0
   * if the document has no form.
   */
  #openForm({ raw }: Engine): void {
    this.#form = 0;
    if (raw.FPDF_GetFormType(this.#document) === 0) return;
    this.#formInfo = raw.PDFiumExt_OpenFormFillInfo();
    this.#form = raw.PDFiumExt_InitFormFillEnvironment(this.#document, this.#formInfo);
  }

  close(): void {
    const target = this.#engine;
    this.#closed = true;
    this.#engine = undefined;
    if (!target || target.dead) return;
    try {
      runGuarded(target, () => {
        if (this.#form !== 0) {
          target.raw.PDFiumExt_ExitFormFillEnvironment(this.#form);
          target.raw.PDFiumExt_CloseFormFillInfo(this.#formInfo);
        }
        target.raw.FPDF_CloseDocument(this.#document);
        target.raw.free(this.#data);
      });
    } catch (error) {
      // The trap has marked the instance as dead, so nothing is left to free.
      if (!(error instanceof EngineTrap)) throw error;
    }
  }
}

/** Closes a page and ignores traps. After a trap, closing would trap too and hide the first error. */
function closeQuietly({ raw }: Engine, page: number): void {
  try {
    raw.FPDF_ClosePage(page);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  }
}
