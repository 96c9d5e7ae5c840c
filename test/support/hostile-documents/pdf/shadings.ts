import type { HostileDocument } from '../document.ts';
import { compressed, hostilePage, type PdfObject, type PdfStream } from './write.ts';

const postScript = (code: string, inputs = 1, outputs = 3): PdfStream =>
  compressed(
    `/FunctionType 4 /Domain [${'0 1 '.repeat(inputs)}] /Range [${'0 1 '.repeat(outputs)}]`,
    `{ ${code} }`,
  );

/** A PostScript function of so many steps that ends with three numbers. */
const slowFunction = (steps: number, inputs = 1) =>
  postScript(`${'dup sin cos pop '.repeat(steps)} ${inputs === 2 ? 'pop ' : ''}dup dup`, inputs);

const shaded = (
  name: string,
  shading: string,
  objects: PdfObject[] = [],
  content = '/S sh\n',
): HostileDocument =>
  hostilePage(name, () => ({
    content,
    width: 3_000,
    height: 3_000,
    resources: `/Shading << /S << /ColorSpace /DeviceRGB ${shading} >> >>`,
    objects,
  }));

/** Bits of a mesh: a flag of 8 bits, coordinates of 16 bits, three colours of 8 bits. */
function mesh(patches: number, points: number, colours: number, flagged = true): Uint8Array {
  const size = (flagged ? 1 : 0) + points * 4 + colours * 3;
  const bytes = new Uint8Array(patches * size);
  let seed = 12_345;
  for (let at = 0; at < bytes.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = flagged && at % size === 0 ? 0 : seed >>> 24;
  }
  return bytes;
}

const meshed = (
  name: string,
  type: number,
  data: () => Uint8Array,
  more = '',
  content = '/S sh\n',
): HostileDocument =>
  hostilePage(name, () => ({
    content,
    width: 3_000,
    height: 3_000,
    resources: '/Shading << /S 5 0 R >>',
    objects: [
      compressed(
        `/ShadingType ${type} /ColorSpace /DeviceRGB /BitsPerCoordinate 16 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [0 3000 0 3000 0 1 0 1 0 1] ${more}`,
        data(),
      ),
    ],
  }));

const exponential = '<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0] /C1 [1 1 1] /N 1.37 >>';
const LONG_AXIS = '/ShadingType 2 /Coords [0 0 3000 3000] /Extend [true true]';

/** Stitching functions that each refer to the next one many times. */
const stitchedFunctions = (depth: number): PdfObject[] =>
  Array.from({ length: depth }, (_, level) => {
    if (level === depth - 1) return exponential;
    const next = `${level + 6} 0 R `;
    return `<< /FunctionType 3 /Domain [0 1] /Functions [${next.repeat(10)}] /Bounds [.1 .2 .3 .4 .5 .6 .7 .8 .9] /Encode [${'0 1 '.repeat(10)}] >>`;
  });

export const shadingPdfs: readonly HostileDocument[] = [
  shaded(
    'a function-based shading with a slow PostScript function',
    '/ShadingType 1 /Domain [0 1 0 1] /Matrix [3000 0 0 3000 0 0] /Function 5 0 R',
    [slowFunction(20_000, 2)],
  ),
  shaded('an axial shading with a PostScript function of 200,000 steps', `${LONG_AXIS} /Function 5 0 R`, [
    slowFunction(50_000),
  ]),
  shaded(
    'a radial shading with huge circles',
    '/ShadingType 3 /Coords [0 0 0 100 100 1000000000] /Extend [true true] /Function 5 0 R',
    [exponential],
  ),
  shaded(
    '10,000 axial shadings over the whole page',
    `${LONG_AXIS} /Function 5 0 R`,
    [exponential],
    '/S sh\n'.repeat(10_000),
  ),
  shaded(
    '3,000 radial shadings over the whole page',
    '/ShadingType 3 /Coords [10 10 0 1500 1500 2000] /Extend [true true] /Function 5 0 R',
    [exponential],
    '/S sh\n'.repeat(3_000),
  ),
  shaded(
    'a shading with functions that multiply ten times at each of nine levels',
    `${LONG_AXIS} /Function 5 0 R`,
    stitchedFunctions(9),
  ),
  shaded('a shading whose function is its own part', `${LONG_AXIS} /Function 5 0 R`, [
    '<< /FunctionType 3 /Domain [0 1] /Functions [5 0 R 5 0 R] /Bounds [.5] /Encode [0 1 0 1] >>',
  ]),
  shaded('a shading with a sampled function of eight inputs', `${LONG_AXIS} /Function 5 0 R`, [
    compressed(
      `/FunctionType 0 /Domain [${'0 1 '.repeat(8)}] /Range [0 1 0 1 0 1] /Size [${'30 '.repeat(8)}] /BitsPerSample 8`,
      'x'.repeat(1_000),
    ),
  ]),
  shaded('a shading with 20,000 stitched functions', `${LONG_AXIS} /Function 5 0 R`, [
    `<< /FunctionType 3 /Domain [0 1] /Functions [${`${exponential} `.repeat(20_000)}] /Bounds [${Array.from({ length: 19_999 }, (_, at) => (at + 1) / 20_000).join(' ')}] /Encode [${'0 1 '.repeat(20_000)}] >>`,
  ]),
  meshed('a free-form mesh of 100,000 triangles over the page', 4, () => mesh(100_000, 1, 1)),
  meshed('a lattice mesh of 200,000 vertices', 5, () => mesh(200_000, 1, 1, false), '/VerticesPerRow 200'),
  meshed('5,000 Coons patches over the page', 6, () => mesh(5_000, 12, 4)),
  meshed('5,000 tensor patches over the page', 7, () => mesh(5_000, 16, 4)),
  meshed('500 Coons patches drawn a thousand times', 6, () => mesh(500, 12, 4), '', '/S sh\n'.repeat(1_000)),
  hostilePage('text filled with a shading pattern, letter by letter', () => ({
    content: `/Pattern cs /P scn ${'BT /F1 400 Tf 10 100 Td (W) Tj ET\n'.repeat(4_000)}`,
    width: 3_000,
    height: 3_000,
    resources: `/Pattern << /P << /PatternType 2 /Shading << /ColorSpace /DeviceRGB ${LONG_AXIS} /Function 5 0 R >> >> >>`,
    objects: [exponential],
  })),
  hostilePage('a DeviceN colour whose tint transform is slow, on a picture', () => ({
    content: '612 0 0 792 0 0 cm /I Do\n',
    resources: '/XObject << /I 6 0 R >>',
    objects: [
      slowFunction(5_000),
      compressed(
        '/Type /XObject /Subtype /Image /Width 3000 /Height 3000 /BitsPerComponent 8 /ColorSpace [/DeviceN [/A] /DeviceRGB 5 0 R]',
        Uint8Array.from({ length: 9_000_000 }, (_, at) => (at * 7) & 255),
      ),
    ],
  })),
  hostilePage('a Separation colour set 20,000 times with a slow tint transform', () => ({
    content: `/CS cs ${Array.from({ length: 20_000 }, (_, at) => `${at / 20_000} scn 0 0 1 1 re f\n`).join('')}`,
    resources: '/ColorSpace << /CS [/Separation /A /DeviceRGB 5 0 R] >>',
    objects: [slowFunction(20_000)],
  })),
  hostilePage('colour spaces that are based on each other in a circle', () => ({
    content: '/CS cs 1 scn 0 0 600 700 re f\n',
    resources: '/ColorSpace << /CS 5 0 R >>',
    objects: ['[/Indexed 6 0 R 255 <00>]', '[/Pattern 5 0 R]'],
  })),
];
