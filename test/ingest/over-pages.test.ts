import { describe, expect, it } from 'vitest';
import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { joinPages } from '#src/ingest/join-pages.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';

const block = (type: Block['type'], markdown: string): Block => ({ type, markdown, text: markdown });
const paragraph = (markdown: string) => block('paragraph', markdown);
const table = (header: string, ...rows: string[]): Block => ({
  type: 'table',
  text: [header, ...rows].map((row) => row.split(' ').join('\t')).join('\n'),
  markdown: [header, header.replace(/\S+/g, '---'), ...rows]
    .map((row) => `| ${row.split(' ').join(' | ')} |`)
    .join('\n'),
});

const page = (index: number, ...blocks: Block[]): StoredPage => ({
  ...{ index, label: String(index + 1), width: 612, height: 792, links: [], figures: [], blocks },
  text: blocks.map((each) => each.text).join('\n\n'),
  markdown: blocks.map((each) => each.markdown).join('\n\n'),
});

describe('words divided by a page break', () => {
  it('are joined on the first page, ignoring headers and footers between', () => {
    const pages = [
      page(0, paragraph('Ring by tele-'), block('footer', 'Page 1')),
      page(1, block('header', 'Manual'), paragraph('phone, please. Then wait.'), paragraph('End.')),
    ];
    const { text, pageStarts, pages: joined } = joinPages(pages, resolveParsePlan({}));
    expect(text).toBe('Ring by telephone,\n\nPage 1\n\nManual\n\nplease. Then wait.\n\nEnd.');
    expect(pageStarts).toEqual([0, text.indexOf('Manual')]);
    expect(joined[0]?.blocks[0]?.text).toBe('Ring by telephone,');
  });

  it('are joined over footnotes at the end of the first page', () => {
    const pages = [
      page(0, paragraph('Ring by tele-'), paragraph('[^p1-1]: Or by post.')),
      page(1, paragraph('phone, please.')),
    ];
    expect(joinPages(pages, resolveParsePlan({})).text).toBe(
      'Ring by telephone,\n\n[^p1-1]: Or by post.\n\nplease.',
    );
  });

  it.each([
    ['a dash', 'He said -', 'nothing more.'],
    ['a name', 'North-', 'South relations.'],
    ['a number', 'pages 10-', 'twelve'],
    ['a heading', 'tele-', '# phone'],
  ])('are not joined across %s', (_, end, start) => {
    const first = start.startsWith('#') ? block('heading', start) : paragraph(start);
    expect(joinPages([page(0, paragraph(end)), page(1, first)], resolveParsePlan({})).text).toBe(
      `${end}\n\n${start}`,
    );
  });
});

describe('tables across pages', () => {
  const pages = [
    page(0, paragraph('Ports'), table('port depth', 'Agger 4')),
    page(1, table('port depth', 'Hanst 6', 'Thyb 5')),
    page(2, table('Lemv 3', 'Struer 4'), paragraph('Depths in metres.')),
  ];

  it('stay separate by default', () => {
    expect(joinPages(pages, resolveParsePlan({})).text.match(/---/g)).toHaveLength(6);
  });

  it('are merged without repeated headers if requested', () => {
    const { text } = joinPages(pages, resolveParsePlan({ merge_tables_across_pages_in_markdown: true }));
    expect(text.replace(/\n{2,}/g, '\n\n')).toBe(
      [
        'Ports\n',
        '| port | depth |',
        '| --- | --- |',
        '| Agger | 4 |',
        '| Hanst | 6 |',
        '| Thyb | 5 |',
        '| Lemv | 3 |',
        '| Struer | 4 |\n',
        'Depths in metres.',
      ].join('\n'),
    );
  });

  it('contain a page separator only if requested', () => {
    const joined = { merge_tables_across_pages_in_markdown: true, page_separator: '\n---8<---\n' };
    const ends = (parameters: ParseParameters) =>
      joinPages(pages, resolveParsePlan(parameters)).text.split('8<').length - 1;
    expect(ends({ page_separator: '\n---8<---\n' })).toBe(2);
    expect(ends(joined)).toBe(0);
    expect(ends({ ...joined, keep_page_separator_when_merging_tables: true })).toBe(2);
    const plain = [
      page(0, paragraph('One.')),
      ...pages.slice(1).map((each, at) => ({ ...each, index: at + 1 })),
    ];
    expect(joinPages(plain, resolveParsePlan(joined)).text.split('8<')).toHaveLength(2);
  });

  it('stay separate if their columns differ', () => {
    const two = [page(0, table('a b', '1 2')), page(1, table('a b c', '1 2 3'))];
    const { text } = joinPages(two, resolveParsePlan({ merge_tables_across_pages_in_markdown: true }));
    expect(text).toBe(joinPages(two, resolveParsePlan({})).text);
  });
});
