import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';
import { chart, linked, picture, pptx, shape, table } from './fixtures/slides.ts';

const SLIDES = [
  {
    shapes:
      shape(['one', 'two'], 'body') +
      shape(['Title of it'], 'title') +
      picture +
      linked('our site') +
      shape(['far away'], undefined, [900, 10]),
    notes: 'Say this.',
  },
  {
    shapes:
      shape(['Second'], 'ctrTitle') +
      table([
        ['A', 'B'],
        ['1', '2'],
      ]) +
      chart +
      shape(['Our footer'], 'ftr'),
  },
];

parserSuite({
  kind: 'pptx',
  holds: {
    headings: 3,
    tables: 2,
    lists: 1,
    links: 1,
    figures: 1,
    metadata: ['title', 'author', 'language'],
  },
  bytes: async () => pptx(SLIDES, await png()),
  markdown: [
    '# Title of it\n\n- one\n- two\n\n![A gradient](image-1.png)\n\n[our site](https://example.org/)\n\n### Notes\n\nSay this.',
    '# Second\n\n| A   | B   |\n| --- | --- |\n| 1   | 2   |\n\n**Sales** (column chart)\n\n|       | 2024 |\n| ----- | ---- |\n| North | 3    |\n| South | 5    |\n\nOur footer',
  ],
  hasSignature: true,
});

it('places shapes on the slide and returns shapes outside only on request', async () => {
  const bytes = pptx([
    { shapes: shape(['Here'], undefined, [10, 20]) + shape(['far away'], undefined, [900, 10]) },
  ]);
  const [inside] = await readAll(await openDocument({ bytes, name: '', plan: resolveParsePlan({}) }));
  expect(inside).toMatchObject({ width: 720, height: 405, markdown: 'Here' });
  expect(inside?.blocks[0]?.box).toEqual({ x: 10, y: 20, w: 100, h: 50 });
  const parameters = { presentation_out_of_bounds_content: true };
  const [all] = await readAll(await openDocument({ bytes, name: '', plan: resolveParsePlan(parameters) }));
  expect(all?.markdown).toBe('Here\n\nfar away');
});

it('omits embedded data and footers on request', async () => {
  const parameters = { presentation_skip_embedded_data: true, hide_footers: true };
  const pages = await readAll(
    await openDocument({ bytes: pptx(SLIDES), name: '', plan: resolveParsePlan(parameters) }),
  );
  expect(pages[1]?.markdown).toBe('# Second\n\n| A   | B   |\n| --- | --- |\n| 1   | 2   |');
});
