import type { Engine } from '#src/formats/pdf/engine/engine.ts';
import { floats } from '#src/formats/pdf/engine/engine.ts';
import { IDENTITY, type Matrix, mapPoint, multiply, readMatrix } from '#src/formats/pdf/engine/matrix.ts';

const TYPE_PATH = 2;
const TYPE_FORM = 5;
const SEGMENT_MOVE = 2;
const MAX_DEPTH = 12;
/** Maximum number of segments in paths and clip paths of a page. A page with more segments is not drawn. */
const MAX_SEGMENTS = 2_000_000;
/**
 * Maximum number of pixels that outlines, clip paths and dashes may cross. A dense page crosses a few
 * million.
 */
const MAX_CROSSED = 200_000_000;
/** Cost of a dash, in crossed pixels. */
const PIXELS_PER_DASH = 8;

/**
 * Returns whether a page's outlines are too expensive to draw. PDFium visits each pixel of an outline, again
 * for every clip path of an object, and cannot be interrupted within a path.
 */
export function hasTooManyOutlines(engine: Engine, page: number, pixelsPerPoint: number): boolean {
  const cost = new OutlineCost(engine, pixelsPerPoint);
  const { raw } = engine;
  const count = raw.FPDFPage_CountObjects(page);
  for (let index = 0; index < count && !cost.isTooMuch; index++)
    cost.addObject(raw.FPDFPage_GetObject(page, index), IDENTITY, 0);
  return cost.isTooMuch;
}

class OutlineCost {
  readonly #engine: Engine;
  readonly #scale: number;
  #segments = 0;
  #crossed = 0;

  constructor(engine: Engine, scale: number) {
    this.#engine = engine;
    this.#scale = scale;
  }

  get isTooMuch(): boolean {
    return this.#segments > MAX_SEGMENTS || this.#crossed > MAX_CROSSED;
  }

  addObject(object: number, outer: Matrix, depth: number): void {
    const { raw } = this.#engine;
    if (object === 0 || this.isTooMuch) return;
    this.#addClip(object);
    const type = raw.FPDFPageObj_GetType(object);
    if (type === TYPE_PATH) this.#addPath(object, multiply(readMatrix(this.#engine, object), outer));
    else if (type === TYPE_FORM && depth < MAX_DEPTH) {
      const matrix = multiply(readMatrix(this.#engine, object), outer);
      const count = raw.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count && !this.isTooMuch; index++)
        this.addObject(raw.FPDFFormObj_GetObject(object, index), matrix, depth + 1);
    }
  }

  #addClip(object: number): void {
    const { raw } = this.#engine;
    const clip = raw.FPDFPageObj_GetClipPath(object);
    if (clip === 0) return;
    const paths = raw.FPDFClipPath_CountPaths(clip);
    for (let path = 0; path < paths && !this.isTooMuch; path++) {
      const segments = raw.FPDFClipPath_CountPathSegments(clip, path);
      this.#addOutline(segments, IDENTITY, (at) => raw.FPDFClipPath_GetPathSegment(clip, path, at));
    }
  }

  #addPath(object: number, matrix: Matrix): void {
    const { raw } = this.#engine;
    const before = this.#crossed;
    const segments = raw.FPDFPath_CountSegments(object);
    this.#addOutline(segments, matrix, (at) => raw.FPDFPath_GetPathSegment(object, at));
    const period = this.#readDashPeriod(object);
    if (period === undefined) return;
    const stretch = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])) * this.#scale;
    const dashes = (this.#crossed - before) / Math.max(period * stretch, Number.MIN_VALUE);
    this.#crossed += dashes * PIXELS_PER_DASH;
  }

  /** Returns the mean length of dashes and gaps in path units, or `undefined` for solid lines. */
  #readDashPeriod(object: number): number | undefined {
    const { raw, scratch } = this.#engine;
    const count = raw.FPDFPageObj_GetDashCount(object);
    if (count <= 0) return undefined;
    const buffer = count <= 64 ? scratch : raw.malloc(count * 4);
    if (buffer === 0 || !raw.FPDFPageObj_GetDashArray(object, buffer, count)) return undefined;
    const lengths = new Float32Array(raw.memory.buffer, buffer, count);
    const mean = lengths.reduce((sum, length) => sum + Math.max(0, length), 0) / count;
    if (buffer !== scratch) raw.free(buffer);
    return mean;
  }

  #addOutline(segments: number, matrix: Matrix, segmentAt: (index: number) => number): void {
    const { raw, scratch } = this.#engine;
    this.#segments += Math.max(0, segments);
    let [fromX, fromY] = [0, 0];
    for (let index = 0; index < segments && !this.isTooMuch; index++) {
      const segment = segmentAt(index);
      raw.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
      const [x = 0, y = 0] = floats(this.#engine, 2);
      const [toX, toY] = mapPoint(matrix, x, y);
      if (raw.FPDFPathSegment_GetType(segment) !== SEGMENT_MOVE) {
        const length = (Math.abs(toX - fromX) + Math.abs(toY - fromY)) * this.#scale;
        // PDFium clips lines at the edge of the page before it draws them.
        this.#crossed += Number.isFinite(length) ? Math.min(length, MAX_LINE_PIXELS) : 0;
      }
      [fromX, fromY] = [toX, toY];
    }
  }
}

/** Maximum number of crossed pixels counted per line. At most one side of a bitmap is longer. */
const MAX_LINE_PIXELS = 10_000;
