import { largest, smallest } from '#src/lib/extremes.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { intersect, rectToDisplay } from '../geometry.ts';
import type { Engine } from './engine.ts';
import { floats } from './engine.ts';
import { IDENTITY, type Matrix, mapPoint, multiply, readMatrix } from './matrix.ts';

const TYPE_TEXT = 1;
const TYPE_PATH = 2;
const TYPE_IMAGE = 3;
const TYPE_FORM = 5;
const SEGMENT_LINE = 0;
const SEGMENT_BEZIER = 1;
const SEGMENT_MOVE = 2;
const MAX_DEPTH = 12;
export const MAX_OBJECTS = 20_000;
const MAX_RULES = 4_000;
const MAX_SHAPE_SEGMENTS = 1_000;
/** Maximum number of segments of a path that is searched for rules and backdrops. */
const MAX_RULED_SEGMENTS = 400;
/** Maximum number of segments in the path of a box. */
const BOX_SEGMENTS = 6;
/** Minimum length of a rule in points. */
const MIN_RULE_LENGTH = 4;
/** Minimum length and maximum thickness in points of the bar of a fraction. */
const MIN_BAR_LENGTH = 1.5;
const MAX_BAR_THICKNESS = 0.8;
const MAX_SHORT_BARS = 300;
/** Maximum deviation in points of a horizontal or vertical line from its axis. */
const MAX_SLANT = 0.8;
/** Maximum thickness in points of a filled box that counts as a line. */
const MAX_RULE_THICKNESS = 3;
const NEARLY_WHITE = 235;

type Point = readonly [x: number, y: number];

function mapRect(matrix: Matrix, x0: number, y0: number, x1: number, y1: number) {
  const corners = [
    mapPoint(matrix, x0, y0),
    mapPoint(matrix, x1, y0),
    mapPoint(matrix, x0, y1),
    mapPoint(matrix, x1, y1),
  ];
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [smallest(xs), smallest(ys), largest(xs), largest(ys)] as const;
}

export interface ImageObject {
  /** Handle that is valid while the page is open. */
  object: number;
  box: Rect;
  /** Width in stored pixels. */
  width: number;
  height: number;
}

/** A text object of the page or of a form on it. */
export interface TextObject {
  /** Handle that is valid while the page is open. */
  object: number;
  /** Matrix that maps the object's coordinates to page coordinates. */
  outer: Matrix;
}

export interface Shape {
  rect: Rect;
  isCurved: boolean;
}

export interface PageObjects {
  images: ImageObject[];
  /** Straight horizontal and vertical lines, including thin boxes. */
  rules: Rect[];
  /** Horizontal lines that are too short for rules, such as the bars of small fractions. */
  shortBars: Rect[];
  /** True if any path was painted. */
  hasPaths: boolean;
  /** Filled boxes that are not white, on which light text is readable. */
  backdrops: Rect[];
  /**
   * Bounds of painted paths that are not white. `isCurved` is true if a path has more segments than a box.
   */
  shapes: Shape[];
  texts: TextObject[];
  /** True if the page has more objects than are inspected. */
  hasMore: boolean;
}

/** Collects the objects of a page that layout needs, including objects inside forms. */
export function readObjects(engine: Engine, page: number, frame: PageFrame): PageObjects {
  return new ObjectReader(engine, frame).read(page);
}

class ObjectReader {
  readonly #engine: Engine;
  readonly #frame: PageFrame;
  readonly #wholePage: Rect;
  readonly #found: PageObjects = {
    images: [],
    rules: [],
    shortBars: [],
    hasPaths: false,
    backdrops: [],
    shapes: [],
    texts: [],
    hasMore: false,
  };
  #visited = 0;

  constructor(engine: Engine, frame: PageFrame) {
    this.#engine = engine;
    this.#frame = frame;
    this.#wholePage = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  }

  read(page: number): PageObjects {
    const { raw } = this.#engine;
    const count = raw.FPDFPage_CountObjects(page);
    for (let index = 0; index < count && this.#visited <= MAX_OBJECTS; index++) {
      this.#visit(raw.FPDFPage_GetObject(page, index), IDENTITY, 0);
    }
    return this.#found;
  }

  #visit(object: number, outer: Matrix, depth: number): void {
    if (object === 0) return;
    if (++this.#visited > MAX_OBJECTS) {
      this.#found.hasMore = true;
      return;
    }
    const { raw } = this.#engine;
    const type = raw.FPDFPageObj_GetType(object);
    if (type === TYPE_PATH) this.#readPath(object, outer);
    else if (type === TYPE_TEXT) this.#found.texts.push({ object, outer });
    else if (type === TYPE_IMAGE) this.#readImage(object, outer);
    else if (type === TYPE_FORM && depth < MAX_DEPTH) {
      const matrix = multiply(readMatrix(this.#engine, object), outer);
      const count = raw.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count; index++)
        this.#visit(raw.FPDFFormObj_GetObject(object, index), matrix, depth + 1);
    }
  }

  #readImage(object: number, outer: Matrix): void {
    const { raw, scratch } = this.#engine;
    const matrix = multiply(readMatrix(this.#engine, object), outer);
    const [x0, y0, x1, y1] = mapRect(matrix, 0, 0, 1, 1);
    const box = intersect(rectToDisplay(this.#frame, x0, y0, x1, y1), this.#wholePage);
    if (!box || !raw.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) return;
    const [width = 0, height = 0] = new Uint32Array(raw.memory.buffer, scratch, 2);
    if (width > 0 && height > 0) this.#found.images.push({ object, box, width, height });
  }

  #readPath(object: number, outer: Matrix): void {
    const found = this.#found;
    found.hasPaths = true;
    const segments = this.#engine.raw.FPDFPath_CountSegments(object);
    if (segments < 2) return;
    const { fill, stroke } = readDrawMode(this.#engine, object);
    if (!fill && !stroke) return;
    const matrix = multiply(readMatrix(this.#engine, object), outer);
    if (found.shapes.length < MAX_RULES && (stroke || isColored(this.#engine, object)))
      this.#addShape(object, matrix, segments);
    if (segments > MAX_RULED_SEGMENTS) return;
    const isSimple = segments <= BOX_SEGMENTS;
    if (fill && isSimple && found.backdrops.length < MAX_RULES && isColored(this.#engine, object)) {
      const [x0, y0, x1, y1] = readBounds(this.#engine, object, matrix, segments);
      found.backdrops.push(rectToDisplay(this.#frame, x0, y0, x1, y1));
    }
    if (stroke) this.#addStrokes(object, matrix, segments);
    // A filled path yields rules only if it is a box. Filled glyphs and chart areas do not.
    else if (isSimple) this.#addFilledBox(object, matrix, segments);
  }

  /** Stores the bounds of a path. A long path is represented by the bounds of its first points. */
  #addShape(object: number, matrix: Matrix, segments: number): void {
    const most = Math.min(segments, MAX_SHAPE_SEGMENTS);
    const [x0, y0, x1, y1] = readBounds(this.#engine, object, matrix, most);
    const bounds = rectToDisplay(this.#frame, x0 - 0.5, y0 - 0.5, x1 + 0.5, y1 + 0.5);
    const rect = intersect(bounds, this.#wholePage);
    if (rect) this.#found.shapes.push({ rect, isCurved: most > BOX_SEGMENTS });
  }

  /** Stores a thin filled box as one rule, and any other filled box as the four rules around it. */
  #addFilledBox(object: number, matrix: Matrix, segments: number): void {
    const [x0, y0, x1, y1] = readBounds(this.#engine, object, matrix, segments);
    if (Math.min(x1 - x0, y1 - y0) <= MAX_RULE_THICKNESS) {
      this.#addRule(x0, y0, x1, y1);
      return;
    }
    this.#addRule(x0, y0, x1, y0);
    this.#addRule(x0, y1, x1, y1);
    this.#addRule(x0, y0, x0, y1);
    this.#addRule(x1, y0, x1, y1);
  }

  /** Stores the straight horizontal and vertical lines of a stroked path. */
  #addStrokes(object: number, matrix: Matrix, segments: number): void {
    const { raw } = this.#engine;
    let from: Point = [0, 0];
    let start: Point = [0, 0];
    for (let index = 0; index < segments; index++) {
      const segment = raw.FPDFPath_GetPathSegment(object, index);
      const to = readPoint(this.#engine, segment, matrix);
      const type = raw.FPDFPathSegment_GetType(segment);
      if (type === SEGMENT_LINE) this.#addLine(from, to);
      if (type === SEGMENT_MOVE) start = to;
      if (type === SEGMENT_MOVE || type === SEGMENT_LINE || type === SEGMENT_BEZIER) from = to;
      if (raw.FPDFPathSegment_GetClose(segment)) {
        this.#addLine(from, start);
        from = start;
      }
    }
  }

  #addLine([x0, y0]: Point, [x1, y1]: Point): void {
    if (Math.abs(x1 - x0) >= MAX_SLANT && Math.abs(y1 - y0) >= MAX_SLANT) return;
    this.#addRule(Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1));
  }

  #addRule(x0: number, y0: number, x1: number, y1: number): void {
    const { rules, shortBars } = this.#found;
    if (rules.length >= MAX_RULES) return;
    const rect = rectToDisplay(this.#frame, x0, y0, x1, y1);
    const { width, height } = this.#frame;
    const length = Math.max(rect.x1 - rect.x0, rect.y1 - rect.y0);
    if (length < MIN_BAR_LENGTH) return;
    if (rect.x1 < -1 || rect.y1 < -1 || rect.x0 > width + 1 || rect.y0 > height + 1) return;
    if (length >= MIN_RULE_LENGTH) rules.push(rect);
    else if (rect.y1 - rect.y0 <= MAX_BAR_THICKNESS && shortBars.length < MAX_SHORT_BARS)
      shortBars.push(rect);
  }
}

/** Reads whether a path is filled and whether it is stroked. */
function readDrawMode({ raw, scratch }: Engine, object: number): { fill: boolean; stroke: boolean } {
  if (!raw.FPDFPath_GetDrawMode(object, scratch, scratch + 4)) return { fill: false, stroke: false };
  const [fill = 0, stroke = 0] = new Int32Array(raw.memory.buffer, scratch, 2);
  return { fill: fill !== 0, stroke: stroke !== 0 };
}

/**
 * Returns whether an object is filled with a visible color other than white. Returns true if its fill is not
 * a plain color.
 */
function isColored({ raw, scratch }: Engine, object: number): boolean {
  if (!raw.FPDFPageObj_GetFillColor(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return true;
  const [red = 0, green = 0, blue = 0, alpha = 0] = new Uint32Array(raw.memory.buffer, scratch, 4);
  return alpha > 0 && Math.min(red, green, blue) < NEARLY_WHITE;
}

/** Reads the end point of a path segment in page coordinates. */
function readPoint(engine: Engine, segment: number, matrix: Matrix): Point {
  const { raw, scratch } = engine;
  raw.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
  const [x = 0, y = 0] = floats(engine, 2);
  return mapPoint(matrix, x, y);
}

/** Reads the bounds of the first segments of a path in page coordinates. */
function readBounds(engine: Engine, object: number, matrix: Matrix, segments: number) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index < segments; index++) {
    const [x, y] = readPoint(engine, engine.raw.FPDFPath_GetPathSegment(object, index), matrix);
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
  }
  return [x0, y0, x1, y1] as const;
}
