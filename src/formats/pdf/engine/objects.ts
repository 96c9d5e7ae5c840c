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
/** A filled shape thinner than this is a line drawn as a box. */
const RULE_THICKNESS = 3;
const NEARLY_WHITE = 235;

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
  /** Valid while the page is open. */
  object: number;
  box: Rect;
  /** Pixels as stored. */
  width: number;
  height: number;
}

/** A text object of the page or of a form on it. */
export interface TextObject {
  /** Valid while the page is open. */
  object: number;
  /** Maps the coordinates that the object lies in to those of the page. */
  outer: Matrix;
}

export interface Shape {
  rect: Rect;
  isCurved: boolean;
}

export interface PageObjects {
  images: ImageObject[];
  /** Straight horizontal and vertical lines, thin boxes included. */
  rules: Rect[];
  /** Any path was painted. */
  hasPaths: boolean;
  /** Filled boxes of any colour but white: light text on them can be read. */
  backdrops: Rect[];
  /** The bounds of all painted paths that are not white, with whether one is more than lines and boxes. */
  shapes: Shape[];
  texts: TextObject[];
  /** It has more objects than are looked at. */
  hasMore: boolean;
}

/** Walks the page's objects, form objects included, and keeps what layout needs. */
export function readObjects(engine: Engine, page: number, frame: PageFrame): PageObjects {
  const { raw, scratch } = engine;
  const found: PageObjects = {
    images: [],
    rules: [],
    hasPaths: false,
    backdrops: [],
    shapes: [],
    texts: [],
    hasMore: false,
  };
  const whole = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  let visited = 0;

  const keepRule = (x0: number, y0: number, x1: number, y1: number) => {
    if (found.rules.length >= MAX_RULES) return;
    const rect = rectToDisplay(frame, x0, y0, x1, y1);
    const long = Math.max(rect.x1 - rect.x0, rect.y1 - rect.y0);
    if (long < 4 || rect.x1 < -1 || rect.y1 < -1 || rect.x0 > frame.width + 1 || rect.y0 > frame.height + 1)
      return;
    found.rules.push(rect);
  };

  /** Of a long path the first points tell where it is: it is drawn point by point. */
  const keepShape = (object: number, matrix: Matrix, segments: number) => {
    const most = Math.min(segments, MAX_SHAPE_SEGMENTS);
    const [x0, y0, x1, y1] = pathBounds(object, matrix, most);
    const rect = intersect(rectToDisplay(frame, x0 - 0.5, y0 - 0.5, x1 + 0.5, y1 + 0.5), whole);
    if (rect) found.shapes.push({ rect, isCurved: most > 6 });
  };

  const readPath = (object: number, outer: Matrix) => {
    found.hasPaths = true;
    const segments = raw.FPDFPath_CountSegments(object);
    if (segments < 2) return;
    if (!raw.FPDFPath_GetDrawMode(object, scratch, scratch + 4)) return;
    const [fill = 0, stroke = 0] = new Int32Array(raw.memory.buffer, scratch, 2);
    if (!fill && !stroke) return;
    const matrix = multiply(readMatrix(engine, object), outer);
    if (found.shapes.length < MAX_RULES && (stroke || isColored(object))) keepShape(object, matrix, segments);
    if (segments > 400) return;
    if (fill && segments <= 6 && found.backdrops.length < MAX_RULES && isColored(object)) {
      const [x0, y0, x1, y1] = pathBounds(object, matrix, segments);
      found.backdrops.push(rectToDisplay(frame, x0, y0, x1, y1));
    }
    if (!stroke) {
      // Only what is a box itself: a filled glyph or chart is no rule.
      if (segments > 6) return;
      const [x0, y0, x1, y1] = pathBounds(object, matrix, segments);
      const thin = Math.min(x1 - x0, y1 - y0) <= RULE_THICKNESS;
      if (thin) keepRule(x0, y0, x1, y1);
      else outline(x0, y0, x1, y1);
      return;
    }
    let from: readonly [number, number] = [0, 0];
    let start: readonly [number, number] = [0, 0];
    const drawTo = (to: readonly [number, number]) => {
      const dx = Math.abs(to[0] - from[0]);
      const dy = Math.abs(to[1] - from[1]);
      if (dx < 0.8 || dy < 0.8)
        keepRule(
          Math.min(from[0], to[0]),
          Math.min(from[1], to[1]),
          Math.max(from[0], to[0]),
          Math.max(from[1], to[1]),
        );
      from = to;
    };
    for (let index = 0; index < segments; index++) {
      const segment = raw.FPDFPath_GetPathSegment(object, index);
      const to = pointOf(segment, matrix);
      const type = raw.FPDFPathSegment_GetType(segment);
      if (type === SEGMENT_MOVE) {
        from = to;
        start = to;
      } else if (type === SEGMENT_LINE) drawTo(to);
      else if (type === SEGMENT_BEZIER) from = to;
      if (raw.FPDFPathSegment_GetClose(segment)) drawTo(start);
    }
  };
  const outline = (x0: number, y0: number, x1: number, y1: number) => {
    keepRule(x0, y0, x1, y0);
    keepRule(x0, y1, x1, y1);
    keepRule(x0, y0, x0, y1);
    keepRule(x1, y0, x1, y1);
  };
  const pointOf = (segment: number, matrix: Matrix) => {
    raw.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4);
    const [x = 0, y = 0] = floats(engine, 2);
    return mapPoint(matrix, x, y);
  };
  const isColored = (object: number) => {
    if (!raw.FPDFPageObj_GetFillColor(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return true;
    const [red = 0, green = 0, blue = 0, alpha = 0] = new Uint32Array(raw.memory.buffer, scratch, 4);
    return alpha > 0 && Math.min(red, green, blue) < NEARLY_WHITE;
  };
  const pathBounds = (object: number, matrix: Matrix, segments: number) => {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let index = 0; index < segments; index++) {
      const [x, y] = pointOf(raw.FPDFPath_GetPathSegment(object, index), matrix);
      x0 = Math.min(x0, x);
      y0 = Math.min(y0, y);
      x1 = Math.max(x1, x);
      y1 = Math.max(y1, y);
    }
    return [x0, y0, x1, y1] as const;
  };

  const readImage = (object: number, outer: Matrix) => {
    const [x0, y0, x1, y1] = mapRect(multiply(readMatrix(engine, object), outer), 0, 0, 1, 1);
    const box = intersect(rectToDisplay(frame, x0, y0, x1, y1), whole);
    if (!box || !raw.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) return;
    const [width = 0, height = 0] = new Uint32Array(raw.memory.buffer, scratch, 2);
    if (width > 0 && height > 0) found.images.push({ object, box, width, height });
  };

  const visit = (object: number, outer: Matrix, depth: number) => {
    if (object === 0) return;
    if (++visited > MAX_OBJECTS) {
      found.hasMore = true;
      return;
    }
    const type = raw.FPDFPageObj_GetType(object);
    if (type === TYPE_PATH) readPath(object, outer);
    else if (type === TYPE_TEXT) found.texts.push({ object, outer });
    else if (type === TYPE_IMAGE) readImage(object, outer);
    else if (type === TYPE_FORM && depth < MAX_DEPTH) {
      const matrix = multiply(readMatrix(engine, object), outer);
      const count = raw.FPDFFormObj_CountObjects(object);
      for (let index = 0; index < count; index++)
        visit(raw.FPDFFormObj_GetObject(object, index), matrix, depth + 1);
    }
  };
  const count = raw.FPDFPage_CountObjects(page);
  for (let index = 0; index < count && visited <= MAX_OBJECTS; index++) {
    visit(raw.FPDFPage_GetObject(page, index), IDENTITY, 0);
  }
  return found;
}
