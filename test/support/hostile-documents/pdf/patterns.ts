import type { HostileDocument } from '../document.ts';
import { hostilePage, type PdfObject, type PdfStream } from './write.ts';

const HUGE = 14_400;
const CELL = '0 0 1 rg 0 0 1 1 re f';

interface Tiling {
  box?: string;
  step?: number | string;
  stepY?: number | string;
  matrix?: string;
  resources?: string;
  /** 1: coloured, 2: takes its colour from where it is used. */
  paint?: 1 | 2;
  data?: string;
}

/** A tiling pattern. */
export const tiling = ({
  box = '0 0 1 1',
  step = 1,
  stepY = step,
  matrix = '1 0 0 1 0 0',
  resources = '',
  paint = 1,
  data = CELL,
}: Tiling): PdfStream => ({
  entries: `/Type /Pattern /PatternType 1 /PaintType ${paint} /TilingType 1 /BBox [${box}] /XStep ${step} /YStep ${stepY} /Matrix [${matrix}] /Resources << ${resources} >>`,
  data,
});

/** Fills the whole page with the pattern P. */
const fill = (size: number) => `/Pattern cs /P scn 0 0 ${size} ${size} re f\n`;
const NAMED = '/Pattern << /P 5 0 R >>';

const patterned = (name: string, pattern: Tiling, size = HUGE, content = fill(size)): HostileDocument =>
  hostilePage(name, () => ({
    content,
    width: size,
    height: size,
    resources: NAMED,
    objects: [tiling(pattern)],
  }));

/** Patterns that fill each other's cells: each level multiplies the work. */
function nestedPatterns(depth: number): PdfObject[] {
  return Array.from({ length: depth }, (_, level) =>
    level === depth - 1
      ? tiling({ box: '0 0 4 4', step: 2 })
      : tiling({
          box: '0 0 400 400',
          step: 2,
          resources: `/Pattern << /P ${level + 6} 0 R >>`,
          data: fill(400),
        }),
  );
}

export const patternPdfs: readonly HostileDocument[] = [
  patterned('a tiling pattern with steps of 0.01 on a page of 14,400 points', { step: 0.01 }),
  patterned(
    'an uncoloured tiling pattern with tiny steps',
    { step: 0.01, paint: 2 },
    HUGE,
    `/CS cs 1 0 0 /P scn 0 0 ${HUGE} ${HUGE} re f\n`,
  ),
  patterned('a tiling pattern whose cells overlap ten thousand times', { box: '0 0 14400 14400', step: 1 }),
  patterned('a tiling pattern that is turned and skewed', { step: 0.05, matrix: '0.7 0.7 -0.3 0.7 0 0' }),
  patterned('a tiling pattern with negative steps', { step: -0.01 }),
  patterned('a tiling pattern with steps of zero', { step: 0 }),
  patterned('a tiling pattern with steps too small for a number', { step: '0.000000000000000000001' }),
  patterned('a tiling pattern scaled down by its matrix', { step: 1, matrix: '0.005 0 0 0.005 0 0' }),
  patterned('a tiling pattern of a degenerate matrix', { step: 1, matrix: '0 0 0 0 0 0' }),
  patterned(
    'a tiling pattern whose cell has 20,000 curves',
    {
      box: '0 0 100 100',
      step: 50,
      data: '0 0 m 10 90 90 10 100 100 c S\n'.repeat(20_000),
    },
    2_000,
  ),
  patterned('a tiling pattern drawn by 3,000 rectangles', { step: 0.5 }, 2_000, fill(2_000).repeat(3_000)),
  patterned(
    'text filled with a tiling pattern',
    { step: 0.05 },
    2_000,
    `/Pattern cs /P scn BT /F1 900 Tf 10 600 Td (${'W'.repeat(200)}) Tj ET\n`,
  ),
  patterned(
    'strokes filled with a tiling pattern',
    { step: 0.05 },
    2_000,
    `/Pattern CS /P SCN 500 w ${'0 0 m 2000 2000 l S 0 2000 m 2000 0 l S\n'.repeat(200)}`,
  ),
  patterned('a tiling pattern that is its own cell', { step: 1, resources: NAMED, data: fill(10) }),
  patterned(
    'a tiling pattern with a transparent cell',
    {
      step: 0.1,
      resources: '/ExtGState << /G << /ca 0.5 /BM /Luminosity >> >>',
      data: `/G gs ${CELL}`,
    },
    5_000,
  ),
  hostilePage('patterns in patterns in patterns', () => ({
    content: fill(612),
    resources: NAMED,
    objects: nestedPatterns(8),
  })),
  hostilePage('2,000 tiling patterns of tiny steps', () => ({
    content: Array.from({ length: 2_000 }, (_, at) => `/Pattern cs /P${at} scn 0 0 612 792 re f\n`).join(''),
    resources: `/Pattern << ${Array.from({ length: 2_000 }, (_, at) => `/P${at} ${at + 5} 0 R`).join(' ')} >>`,
    objects: Array.from({ length: 2_000 }, (_, at) => tiling({ step: 0.2 + at / 10_000 })),
  })),
  hostilePage('an image mask painted with a tiling pattern', () => ({
    content: '/Pattern cs /P scn 612 0 0 792 0 0 cm /M Do\n',
    resources: `${NAMED} /XObject << /M 6 0 R >>`,
    objects: [
      tiling({ step: 0.02 }),
      {
        entries: '/Type /XObject /Subtype /Image /ImageMask true /Width 8 /Height 8 /BitsPerComponent 1',
        data: '\0\0\0\0\0\0\0\0',
      },
    ],
  })),
];
