import type { Shape } from '#src/images/ink-shapes.ts';
import type { Area, Gray } from '../picture/gray.ts';
import type { Letters } from '../picture/letters.ts';

/** Side of the sample in letter heights. */
const SIDE = 40;
/** Number of parts into which each side of the sample is divided to find its place. */
const PARTS = 4;

/** Returns the area of a picture with the most letters. The area is a square of forty letter heights. */
export function chooseSample({ width, height }: Gray, letters: Letters): Area {
  const side = Math.max(200, letters.height * SIDE);
  const cell = side / PARTS;
  const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const counts = countByCell(letters.shapes, cell, columns, rows);
  let best = { x: 0, y: 0, count: -1 };
  for (let row = 0; row <= Math.max(0, rows - PARTS); row++) {
    for (let column = 0; column <= Math.max(0, columns - PARTS); column++) {
      let count = 0;
      for (let y = row; y < Math.min(rows, row + PARTS); y++)
        for (let x = column; x < Math.min(columns, column + PARTS); x++) count += counts[y * columns + x]!;
      if (count > best.count) best = { x: column * cell, y: row * cell, count };
    }
  }
  return { x: best.x, y: best.y, w: side, h: side };
}

function countByCell(shapes: readonly Shape[], cell: number, columns: number, rows: number): Uint32Array {
  const counts = new Uint32Array(columns * rows);
  for (const { x0, y0, x1, y1 } of shapes) {
    const column = Math.min(columns - 1, Math.floor((x0 + x1) / 2 / cell));
    const row = Math.min(rows - 1, Math.floor((y0 + y1) / 2 / cell));
    counts[row * columns + column]! += 1;
  }
  return counts;
}
