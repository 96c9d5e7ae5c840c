import type { HostileDocument } from '../document.ts';
import { compressed, hostilePage } from './write.ts';

/** A path that crosses the page again and again. */
function zigzag(lines: number, size = 612): string {
  const points = Array.from({ length: lines }, (_, at) => `${(at * 7_919) % size} ${at % 2 ? size : 0} l`);
  return `0 0 m ${points.join(' ')} h `;
}

const curves = (count: number) =>
  `0 0 m ${Array.from({ length: count }, (_, at) => `${at % 612} 792 ${(at * 31) % 612} 0 ${(at * 17) % 612} ${at % 792} c`).join(' ')} `;

const drawn = (name: string, content: () => string, resources = ''): HostileDocument =>
  hostilePage(name, () => ({ content: content(), resources }));

export const paintingPdfs: readonly HostileDocument[] = [
  drawn('a fill of 300,000 lines that cross each other', () => `${zigzag(300_000)} f*\n`),
  drawn('a fill of 100,000 curves', () => `${curves(100_000)} f\n`),
  drawn(
    'a stroke of 100,000 lines with round joins, ten thousand points wide',
    () => `1 j 1 J 10000 w ${zigzag(100_000)} S\n`,
  ),
  drawn('a stroke with dashes of 0.0001 points', () => `[0.0001 0.0001] 0 d 1 w ${zigzag(2_000)} S\n`),
  drawn('a stroke with dashes of 0.00001 points on curves', () => `[0.00001] 0 d ${curves(2_000)} S\n`),
  drawn('a dash array of 10,000 entries', () => `[${'0.001 '.repeat(10_000)}] 0 d ${zigzag(1_000)} S\n`),
  drawn('19,000 thick strokes across the page', () => '50 w 0 0 m 612 792 l S\n'.repeat(19_000)),
  drawn('19,000 fills of the whole page', () => '0 0 612 792 re f\n'.repeat(19_000)),
  drawn('1,000,000 small rectangles in one path', () => `${'1 1 2 2 re '.repeat(1_000_000)} f\n`),
  drawn('coordinates beyond all numbers', () =>
    `1e38 -1e38 m 99999999999999999999 0 l -3.4e38 3.4e38 l 0 0 1e38 1e38 0 0 c b\n`.repeat(1_000),
  ),
  drawn('an arc of a circle with a radius of 1e9 points', () =>
    '100 w -1000000000 0 m -1000000000 552000000 -552000000 1000000000 0 1000000000 c S\n'.repeat(2_000),
  ),
  drawn(
    'a transformation that multiplies by a million at each step',
    () => `${'1000000 0 0 1000000 0 0 cm '.repeat(6)} ${zigzag(10_000)} S\n`,
  ),
  drawn('a clip path of 300,000 lines', () => `${zigzag(300_000)} W n ${'0 0 612 792 re f\n'.repeat(100)}`),
  drawn(
    '10,000 clip paths inside each other',
    () => `${`${zigzag(40)} W n `.repeat(10_000)} 0 0 612 792 re f\n`,
  ),
  drawn('5,000 rectangles, each under a clip path of 200 lines', () =>
    `q ${zigzag(200)} W* n 0 0 612 792 re f Q\n`.repeat(5_000),
  ),
  drawn(
    '10,000 letters as a clip path',
    () =>
      `BT 7 Tr /F1 100 Tf ${`1 0 0 1 10 10 Tm (${'W'.repeat(100)}) Tj `.repeat(100)} ET ${'0 0 612 792 re f\n'.repeat(200)}`,
  ),
  drawn('graphics states saved 1,000,000 times', () => 'q '.repeat(1_000_000)),
  drawn('graphics states restored 1,000,000 times', () => 'Q '.repeat(1_000_000)),
  drawn('50,000 marked contents inside each other', () => '/Span << /A [1 2 3] >> BDC '.repeat(50_000)),
  drawn('20,000 inline pictures', () =>
    'q 600 0 0 700 0 0 cm BI /W 8 /H 8 /BPC 1 /IM true ID 12345678 EI Q\n'.repeat(20_000),
  ),
  drawn(
    'operators without operands and operands without operators',
    () => `${'f S B b* W n re c v y l h Tj TJ sh Do gs cs scn d '.repeat(20_000)} ${'1 '.repeat(200_000)}`,
  ),
  drawn('arrays nested 100,000 deep in the content', () => `${'['.repeat(100_000)} TJ\n`),
  drawn('every state operator 20,000 times', () =>
    '1 w 0 J 1 j 10 M [] 0 d /Perceptual ri 0 i 0.5 g 0.5 G 1 0 0 rg 1 0 0 RG 0 0 0 1 k 0 0 0 1 K\n'.repeat(
      20_000,
    ),
  ),
  hostilePage('overprint, halftones and transfer functions on 5,000 rectangles', () => ({
    content: '/G gs 0 0 612 792 re f\n'.repeat(5_000),
    resources: '/ExtGState << /G << /OP true /op true /OPM 1 /TR 5 0 R /HT /Default /UCR 5 0 R >> >>',
    objects: [
      compressed('/FunctionType 4 /Domain [0 1] /Range [0 1]', `{ ${'dup sin cos pop '.repeat(10_000)} }`),
    ],
  })),
];
