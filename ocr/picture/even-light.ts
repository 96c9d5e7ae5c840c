import type { Gray } from './gray.ts';

/** Side in pixels of the squares in which the brightness of the paper is measured. */
const SQUARE = 32;
/** Share of the pixels of a square that are darker than the paper's measured brightness. */
const PAPER_SHARE = 0.8;
/** Minimum brightness of paper. Darker squares lie in a picture or in a dark area. */
const DARKEST_PAPER = 60;

/** Mean brightness below which a picture counts as light text on a dark background. */
const DARK_PICTURE = 100;

/** Inverts a picture with light text on a dark background. The pixels are changed in place to save memory. */
export function lightenDarkPicture(picture: Gray): Gray {
  const { data } = picture;
  let sum = 0;
  for (const level of data) sum += level;
  if (sum >= DARK_PICTURE * data.length) return picture;
  for (let at = 0; at < data.length; at++) data[at] = 255 - data[at]!;
  return picture;
}

/**
 * Divides each pixel by the brightness of the paper around it, so that paper becomes white in shadows too.
 * The pixels are changed in place to save memory. They stay unchanged if the light is even and the paper white.
 */
export function evenLight(picture: Gray): Gray {
  const { width, height, data } = picture;
  const [columns, rows] = [Math.ceil(width / SQUARE), Math.ceil(height / SQUARE)];
  const paper = blur(measurePaper(picture, columns, rows), columns, rows);
  const sorted = paper.toSorted();
  const [dark, light] = [
    sorted[Math.floor(sorted.length * 0.05)]!,
    sorted[Math.floor(sorted.length * 0.95)]!,
  ];
  if (dark > 0.93 * light && light > 235) return picture;
  const line = new Float32Array(width);
  for (let y = 0; y < height; y++) {
    interpolateRow(paper, columns, rows, y / SQUARE - 0.5, line);
    const at = y * width;
    for (let x = 0; x < width; x++) data[at + x] = Math.min(255, (data[at + x]! * 255) / line[x]!);
  }
  return picture;
}

function measurePaper({ width, height, data }: Gray, columns: number, rows: number): Float32Array {
  const paper = new Float32Array(columns * rows);
  const counts = new Uint32Array(256);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      counts.fill(0);
      const [right, bottom] = [Math.min(width, (column + 1) * SQUARE), Math.min(height, (row + 1) * SQUARE)];
      for (let y = row * SQUARE; y < bottom; y++)
        for (let x = column * SQUARE; x < right; x++) counts[data[y * width + x]!]! += 1;
      const pixels = (right - column * SQUARE) * (bottom - row * SQUARE);
      let [level, below] = [0, 0];
      while (level < 255 && below + counts[level]! <= pixels * PAPER_SHARE) below += counts[level++]!;
      paper[row * columns + column] = Math.max(DARKEST_PAPER, level);
    }
  }
  return paper;
}

/** Replaces each value by the mean of the values around it. */
function blur(values: Float32Array, columns: number, rows: number): Float32Array {
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let [sum, count] = [0, 0];
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
          sum += values[y * columns + x]!;
          count += 1;
        }
      }
      result[row * columns + column] = sum / count;
    }
  }
  return result;
}

/** Fills a row of pixels with the brightness of the paper, interpolated between the middles of squares. */
function interpolateRow(
  paper: Float32Array,
  columns: number,
  rows: number,
  y: number,
  line: Float32Array,
): void {
  const top = Math.max(0, Math.min(rows - 1, Math.floor(y)));
  const bottom = Math.min(rows - 1, top + 1);
  const down = Math.max(0, Math.min(1, y - top));
  for (let x = 0; x < line.length; x++) {
    const place = x / SQUARE - 0.5;
    const left = Math.max(0, Math.min(columns - 1, Math.floor(place)));
    const right = Math.min(columns - 1, left + 1);
    const across = Math.max(0, Math.min(1, place - left));
    const above = paper[top * columns + left]! * (1 - across) + paper[top * columns + right]! * across;
    const below = paper[bottom * columns + left]! * (1 - across) + paper[bottom * columns + right]! * across;
    line[x] = above * (1 - down) + below * down;
  }
}
