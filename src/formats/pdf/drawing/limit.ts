import askModule from './ask-pause.wasm';

/**
 * Maximum number of times that PDFium may ask whether to pause. PDFium asks between groups of objects and
 * between rows of pictures.
 */
const MAX_PAUSE_CHECKS = 50_000;
/**
 * Maximum number of bytes that PDFium may copy per page. Groups, masks and blended objects copy the page's
 * pixels repeatedly.
 */
const MAX_COPIED_BYTES = 16 * 1024 * 1024 * 1024;
const MAX_MS = 20_000;
/** Version of PDFium's structure IFSDK_PAUSE, which contains the version, the callback and a user pointer. */
export const PAUSE_VERSION = 1;
export const PAUSE_STRUCT_BYTES = 12;

/** Thrown through PDFium to stop drawing. The engine has to be restarted afterwards. */
export class DrawingStopped extends Error {
  override readonly name = 'DrawingStopped';
}

export interface DrawingLimits {
  pauseChecks: number;
  copiedBytes: number;
  milliseconds: number;
}

/**
 * Limit on the work that PDFium may do for the current page. The work is counted, because the clock of a
 * deployed Worker stands still during computation.
 */
export class DrawingLimit {
  readonly #limits: DrawingLimits;
  readonly #end: number;
  #pauseChecks = 0;
  #copiedBytes = 0;
  /** True once drawing has begun. Before that, the page is only loaded. */
  hasBegun = false;

  constructor(limits: Partial<DrawingLimits> = {}) {
    this.#limits = {
      pauseChecks: limits.pauseChecks ?? MAX_PAUSE_CHECKS,
      copiedBytes: limits.copiedBytes ?? MAX_COPIED_BYTES,
      milliseconds: limits.milliseconds ?? MAX_MS,
    };
    this.#end = Date.now() + this.#limits.milliseconds;
  }

  /** Returns whether drawing has to stop. Counts each call. */
  shouldStop(): boolean {
    this.#pauseChecks += 1;
    return this.#pauseChecks > this.#limits.pauseChecks || this.#isLate();
  }

  /**
   * Counts copied bytes. Throws DrawingStopped if the limit is exceeded, because PDFium does not ask to pause
   * while it draws a single object.
   */
  countCopy(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > this.#limits.copiedBytes || this.#isLate()) throw new DrawingStopped();
  }

  #isLate(): boolean {
    return Date.now() > this.#end;
  }
}

/**
 * Adds a callback to PDFium's function table and returns its index. The instance was built without support
 * for adding functions, but its table is exported and can grow.
 */
export function addPauseCallback(table: WebAssembly.Table, shouldPause: () => boolean): number {
  const { exports } = new WebAssembly.Instance(askModule, { e: { p: () => (shouldPause() ? 1 : 0) } });
  const index = table.grow(1);
  table.set(index, exports.p);
  return index;
}
