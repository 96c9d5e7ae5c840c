import { buildPdf, grid, image, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { parserSuite } from '#test/suites/parser.suite.ts';

const cells = [
  ['Port', 'Depth'],
  ['Agger', '4 m'],
  ['Hanst', '6 m'],
];
const table =
  grid([72, 172, 272], [400, 420, 440, 460]) +
  cells
    .map(([port, depth], row) => {
      const y = 446 - row * 20;
      return text(78, y, port!, 10) + text(178, y, depth!, 10);
    })
    .join('');

parserSuite({
  kind: 'pdf',
  holds: {
    headings: 1,
    tables: 1,
    lists: 1,
    links: 1,
    figures: 1,
    labels: ['iv', 'v'],
    metadata: ['title', 'language'],
    renders: true,
  },
  bytes: () =>
    buildPdf({
      info: { Title: 'Harbours' },
      pageLabels: '<< /Nums [0 << /S /r /St 4 >>] >>',
      outline: [{ title: 'Harbours of the north', page: 0 }],
      pages: [
        {
          content:
            text(72, 760, 'The harbour book', 9) +
            text(72, 700, 'Harbours of the north', 22, 'F2') +
            paragraph(72, 660, [
              'Ships moor at the northern quay when the wind is from the west, and at the south-',
              'ern one when it is not. Depths are given at low water.',
            ]) +
            text(72, 620, '\u0095 Fresh water is free.', 10) +
            table +
            text(300, 30, '1', 9),
          links: [{ rect: [72, 616, 180, 632], url: 'https://example.org/water' }],
        },
        {
          content: text(72, 760, 'The harbour book', 9) + image(0, 72, 300, 200, 120) + text(300, 30, '2', 9),
          images: [solidImage(200, 120, [200, 30, 30])],
        },
      ],
    }),
  markdown: [
    `# Harbours of the north

Ships moor at the northern quay when the wind is from the west, and at the southern one when it is not. Depths are given at low water.

- Fresh water is free.

| Port  | Depth |
| ----- | ----- |
| Agger | 4 m   |
| Hanst | 6 m   |`,
    'The harbour book\n\n![page_2_figure_1.png](page_2_figure_1.png)\n\n2',
  ],
  hasSignature: true,
});
