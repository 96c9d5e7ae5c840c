import askModule from './ask-pause.wasm';

/** Times that PDFium may ask whether to pause. It asks between groups of objects and of rows of pictures. */
const MAX_QUESTIONS = 50_000;
/** Bytes that PDFium may copy for one page: groups, masks and blended objects copy the page's pixels again and again. */
const MAX_COPIED_BYTES = 16 * 1024 * 1024 * 1024;
const MAX_MS = 20_000;
/** Version of the structure IFSDK_PAUSE, which holds the version, the callback and a pointer of the caller. */
export const PAUSE_VERSION = 1;
export const PAUSE_STRUCT_BYTES = 12;

/** Thrown through PDFium, which has to be started anew afterwards. */
export class DrawingStopped extends Error {
  override readonly name = 'DrawingStopped';
}

export interface DrawingLimits {
  questions: number;
  copiedBytes: number;
  milliseconds: number;
}

/**
 * How much PDFium may still do for the page that it draws. Clocks of a deployed Worker stand still while it computes,
 * so the work is counted as well.
 */
export class DrawingLimit {
  readonly #limits: DrawingLimits;
  readonly #end: number;
  #questions = 0;
  #copiedBytes = 0;
  /** Whether drawing has begun; before that, the page is only loaded. */
  hasBegun = false;

  constructor(limits: Partial<DrawingLimits> = {}) {
    this.#limits = {
      questions: limits.questions ?? MAX_QUESTIONS,
      copiedBytes: limits.copiedBytes ?? MAX_COPIED_BYTES,
      milliseconds: limits.milliseconds ?? MAX_MS,
    };
    this.#end = Date.now() + this.#limits.milliseconds;
  }

  /** Returns whether drawing is to stop, counting the question. */
  shouldStop(): boolean {
    this.#questions += 1;
    return this.#questions > this.#limits.questions || this.#isLate();
  }

  /** Throws DrawingStopped once too many bytes are copied: PDFium asks nothing while it draws a single object. */
  countCopy(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > this.#limits.copiedBytes || this.#isLate()) throw new DrawingStopped();
  }

  #isLate(): boolean {
    return Date.now() > this.#end;
  }
}

/**
 * Puts a callback into PDFium's table of functions and returns its index. The table belongs to an instance that was
 * built without a way to add functions, but it is exported and can grow.
 */
export function addPauseCallback(table: WebAssembly.Table, shouldPause: () => boolean): number {
  const { exports } = new WebAssembly.Instance(askModule, { e: { p: () => (shouldPause() ? 1 : 0) } });
  const index = table.grow(1);
  table.set(index, exports.p);
  return index;
}
