import type { HostileDocument } from '../document.ts';
import { compressed, form, hostilePage, type PdfObject } from './write.ts';

const GROUP = '/Group << /S /Transparency /CS /DeviceRGB /I true /K true >>';
const BOX = '0 0 612 792 re f\n';

/** Groups inside each other; each is drawn into a bitmap of its own. */
const nestedGroups = (depth: number, times: number): PdfObject[] =>
  Array.from({ length: depth }, (_, level) =>
    level === depth - 1
      ? form(BOX, '', GROUP)
      : form(
          '/G gs /X Do\n'.repeat(times),
          `/XObject << /X ${level + 6} 0 R >> /ExtGState << /G << /ca 0.5 /BM /Luminosity >> >>`,
          GROUP,
        ),
  );

const mask = (entries = '') => `/ExtGState << /M << /SMask << /S /Luminosity /G 5 0 R ${entries} >> >> >>`;

export const transparencyPdfs: readonly HostileDocument[] = [
  hostilePage('60 transparency groups inside each other', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: nestedGroups(60, 1),
  })),
  hostilePage('transparency groups that double at each of 24 levels', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: nestedGroups(24, 2),
  })),
  hostilePage('10,000 transparency groups side by side', () => ({
    content: '/G gs /X Do\n'.repeat(10_000),
    resources: '/XObject << /X 5 0 R >> /ExtGState << /G << /ca 0.5 /BM /Saturation >> >>',
    objects: nestedGroups(1, 1),
  })),
  hostilePage('a soft mask on each of 5,000 rectangles', () => ({
    content: `/M gs ${BOX.repeat(5_000)}`,
    resources: mask(),
    objects: [form('0.5 g 0 0 612 792 re f', '', GROUP)],
  })),
  hostilePage('soft masks with a slow transfer function', () => ({
    content: `/M gs ${BOX.repeat(500)}`,
    resources: mask('/TR 6 0 R'),
    objects: [
      form('0.5 g 0 0 612 792 re f', '', GROUP),
      compressed('/FunctionType 4 /Domain [0 1] /Range [0 1]', `{ ${'dup sin cos pop '.repeat(20_000)} }`),
    ],
  })),
  hostilePage('a soft mask whose group uses the same soft mask', () => ({
    content: `/M gs ${BOX}`,
    resources: mask(),
    objects: [form(`/M gs ${BOX}`, mask(), GROUP)],
  })),
  hostilePage('soft masks in soft masks, twelve levels deep', () => ({
    content: `/M gs ${BOX.repeat(4)}`,
    resources: mask(),
    objects: Array.from({ length: 12 }, (_, level) =>
      level === 11
        ? form(BOX, '', GROUP)
        : form(
            `/M gs ${BOX.repeat(4)}`,
            `/ExtGState << /M << /SMask << /S /Alpha /G ${level + 6} 0 R >> >> >>`,
            GROUP,
          ),
    ),
  })),
  ...['Multiply', 'ColorDodge', 'SoftLight', 'Hue', 'Color'].map((mode) =>
    hostilePage(`20,000 rectangles in the blend mode ${mode}`, () => ({
      content: `/G gs ${'1 0 0 rg 0 0 612 792 re f\n'.repeat(20_000)}`,
      resources: `/ExtGState << /G << /ca 0.3 /BM /${mode} >> >>`,
    })),
  ),
  hostilePage('a blend mode inside a group on a page of 14,400 points', () => ({
    width: 14_400,
    height: 14_400,
    content: '/X Do\n'.repeat(400),
    resources: '/XObject << /X 5 0 R >>',
    objects: [
      compressed(
        `/Type /XObject /Subtype /Form /BBox [0 0 14400 14400] ${GROUP} /Resources << /ExtGState << /G << /ca 0.5 /BM /Hue >> >> >>`,
        '/G gs 0 0 14400 14400 re f',
      ),
    ],
  })),
];
