import { describe, expect, it } from 'vitest';
import { listSampledPages } from '#src/formats/pdf/text/headings/sample.ts';
import { parseNumbering } from '#src/formats/pdf/text/headings/styles.ts';
import { text } from '#test/fixtures/pdf.ts';
import { readPages, withDocument } from '../helpers.ts';

type Heading = [words: string, size: number, font?: 'F1' | 'F2'];

/** Draws headings, each with prose in 10 points below it. `page` makes the prose of pages differ. */
function draw(page: number, ...headings: Heading[]): string {
  const parts = headings.map(([words, size, font], at) => {
    const top = 660 - at * 115;
    const prose = Array.from({ length: 6 }, (_, row) =>
      text(
        72,
        top - 24 - row * 12,
        `Row ${row} of part ${at} on sheet ${page} tells how the quay was built`,
        10,
      ),
    );
    return text(72, top, words, size, font) + prose.join('');
  });
  return parts.join('');
}

/** Returns the headings of all pages. Each page has the given headings. */
async function listHeadings(...pages: Heading[][]): Promise<string[]> {
  const read = await readPages(pages.map((headings, at) => ({ content: draw(at, ...headings) })));
  return read.flatMap(({ blocks }) =>
    blocks.filter(({ type }) => type === 'heading').map((block) => block.markdown.replaceAll('\\', '')),
  );
}

describe('levels of headings', () => {
  it('are those of numbered headings in the same style, on all pages', async () => {
    const plain = ['Thanks', 'Sources', 'Ropes', 'Sails', 'Cranes'];
    const numbered: Heading[] = [
      ['1 Tides', 12],
      ['2 Quays', 12],
    ];
    const headings = await listHeadings(numbered, ...plain.map((words): Heading[] => [[words, 12]]));
    expect(headings.slice(2)).toEqual(plain.map((words) => `## ${words}`));
  });

  it('put larger headings above numbered ones, and smaller headings below them', async () => {
    const headings: Heading[] = [
      ['Harbours', 13],
      ['1 Tides', 12],
      ['2 Quays', 12],
      ['Depths of quays', 10, 'F2'],
    ];
    expect(await listHeadings(headings)).toEqual([
      '# Harbours',
      '## 1 Tides',
      '## 2 Quays',
      '#### Depths of quays',
    ]);
  });

  it('put smaller headings below the deepest numbered ones', async () => {
    const numbered: Heading[] = [
      ['1.1.1 Spring', 15],
      ['1.1.2 Neap', 15],
    ];
    expect((await listHeadings([...numbered, ['Depths of quays', 10, 'F2']])).at(-1)).toBe(
      '##### Depths of quays',
    );
  });

  it('follow the numbers if one style has several depths', async () => {
    const headings: Heading[] = [
      ['1 Tides', 15],
      ['1.1 Spring', 15],
      ['2 Quays', 15],
      ['2.1 Stone', 15],
    ];
    expect(await listHeadings(headings)).toEqual([
      '## 1 Tides',
      '### 1.1 Spring',
      '## 2 Quays',
      '### 2.1 Stone',
    ]);
  });

  it('do not follow page numbers before titles', async () => {
    const headings: Heading[] = [
      ['44 Tides', 20],
      ['8 Quays', 20],
      ['26 Cranes', 20],
      ['4 Ropes', 20],
      ['12 Sails', 20],
    ];
    expect((await listHeadings(headings, [['Thanks', 20]])).at(-1)).toBe('# Thanks');
  });

  it('are those of the outline for all headings in the same style', async () => {
    const pages = [{ content: draw(0, ['Tides', 12], ['Quays', 12]) }, { content: draw(1, ['Thanks', 12]) }];
    const outline = [
      { title: 'Tides', page: 0 },
      { title: 'Quays', page: 0 },
    ];
    const last = await withDocument({ pages, outline }, (document) => document.readPage(1));
    expect(last.blocks[0]?.markdown).toBe('# Thanks');
  });

  it('are below a title that the outline leaves out', async () => {
    const content = draw(0, ['Harbours', 20], ['Tides', 12], ['Quays', 12]);
    const outline = [
      { title: 'Tides', page: 0 },
      { title: 'Quays', page: 0 },
    ];
    const { blocks } = await withDocument({ pages: [{ content }], outline }, (document) =>
      document.readPage(0),
    );
    const headings = blocks.filter(({ type }) => type === 'heading').map(({ markdown }) => markdown);
    expect(headings).toEqual(['# Harbours', '## Tides', '## Quays']);
  });

  it('are not below a title of two lines that the outline contains as one entry', async () => {
    const content =
      text(72, 700, 'A survey of the', 20) +
      draw(0, ['harbours of Jutland', 20], ['Tides', 12], ['Quays', 12]);
    const outline = [
      { title: 'A survey of the harbours of Jutland', page: 0 },
      { title: 'Tides', page: 0 },
      { title: 'Quays', page: 0 },
    ];
    const { blocks } = await withDocument({ pages: [{ content }], outline }, (document) =>
      document.readPage(0),
    );
    expect(blocks.map(({ markdown }) => markdown)).toContain('# Tides');
  });

  it('do not come from the outline if it is ignored', async () => {
    const content = draw(0, ['Tides', 12], ['Quays', 12]);
    const outline = ['Tides', 'Quays'].map((title) => ({ title, page: 0 }));
    const read = async (parameters = {}) => {
      const description = { pages: [{ content }], outline };
      const { blocks } = await withDocument(description, (document) => document.readPage(0), parameters);
      return blocks[0]?.markdown;
    };
    expect(await read()).toBe('# Tides');
    expect(await read({ ignore_document_elements_for_layout_detection: true })).toBe('### Tides');
  });

  it('do not depend on the page that is read first', async () => {
    const pages = Array.from({ length: 14 }, (_, at) => ({
      content:
        at === 0
          ? draw(0, ['1 Tides', 12], ['2 Quays', 12])
          : draw(at, [`Quay of ship ${'x'.repeat(at)}`, 12]),
    }));
    const read = await withDocument({ pages }, (document) => document.readPage(13));
    expect(read.blocks[0]?.markdown).toBe('## Quay of ship xxxxxxxxxxxxx');
  });
});

describe('headings', () => {
  it('are not rows of figures in bold', async () => {
    const row: Heading = ['1 Stay 12,0000 10 x 0 % 120,00', 10, 'F2'];
    expect(await listHeadings([['Tides', 15], row])).toEqual(['## Tides']);
  });
});

describe('the number of a heading', () => {
  it.each([
    ['3 Tides', 1],
    ['3.1.4. Tides', 3],
    ['§ 3 Tides', 1],
    ['第一编 总则', 0],
    ['第一章 总则', 1],
    ['第2節 港', 2],
    ['제3조 목적', 3],
    ['3 tides', undefined],
    ['Tides 3', undefined],
  ])('of %s tells its depth', (words, depth) => {
    expect(parseNumbering(words)?.depth).toBe(depth);
  });
});

describe('the sampled pages', () => {
  it('are all pages of a short document and few pages of a long one', () => {
    expect(listSampledPages(3)).toEqual([0, 1, 2]);
    expect(listSampledPages(302)).toEqual([0, 1, 27, 77, 127, 177, 227, 277]);
    for (const count of [9, 10, 11, 20_000]) expect(new Set(listSampledPages(count)).size).toBe(8);
  });
});
