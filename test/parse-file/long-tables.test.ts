import { describe, expect, it } from 'vitest';
import type { Block, Page } from '#src/documents/document.ts';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { splitLongTables } from '#src/parse-file/long-tables.ts';

async function parsed(rows: number, parameters: ParseParameters): Promise<Page> {
  const lines = Array.from({ length: rows }, (_, at) => `${at + 1},name ${at + 1}`);
  const bytes = new TextEncoder().encode(['number,name', ...lines].join('\n'));
  const document = await openDocument({ bytes, name: 'long.csv', plan: resolveParsePlan(parameters) });
  return splitLongTables(await document.readPage(0), resolveParsePlan(parameters).tables);
}

const tables = ({ blocks }: Page) => blocks.filter(({ type }) => type === 'table');

describe('adaptive_long_table', () => {
  it.each([
    ['Markdown', {}, '| number'],
    ['HTML', { output_tables_as_HTML: true }, '<tr><th>number</th>'],
  ])('splits a long table and repeats its header: %s', async (_, form, header) => {
    const whole = await parsed(101, form);
    expect(tables(whole)).toHaveLength(1);
    const page = await parsed(101, { ...form, adaptive_long_table: true });
    const parts = tables(page);
    expect(parts.map(({ text }) => text.split('\n').length - 1)).toEqual([34, 34, 33]);
    for (const part of parts) {
      expect(part.text.startsWith('number\tname\n')).toBe(true);
      expect(part.markdown).toContain(header);
    }
    expect(page.markdown.split(header)).toHaveLength(4);
    expect(page.markdown).toBe(page.blocks.map(({ markdown }) => markdown).join('\n\n'));
    expect(page.text).toBe(page.blocks.map(({ text }) => text).join('\n\n'));
    expect(page.text.replaceAll('number\tname\n', '').split('\n').filter(Boolean)).toEqual(
      whole.text.replaceAll('number\tname\n', '').split('\n').filter(Boolean),
    );
  });

  it('splits a table one row above the limit into halves', async () => {
    const parts = tables(await parsed(41, { adaptive_long_table: true }));
    expect(parts.map(({ text }) => text.split('\n').length - 1)).toEqual([21, 20]);
  });

  const table = (rows: number, more: Partial<Block> = {}): Block => {
    const names = Array.from({ length: rows }, (_, at) => `n${at}`);
    return {
      type: 'table',
      text: ['a', ...names].join('\n'),
      markdown: ['| a |', '| - |', ...names.map((name) => `| ${name} |`)].join('\n'),
      ...more,
    };
  };
  const buildPage = (...blocks: Block[]): Page => ({
    ...{ index: 0, label: '1', width: 612, height: 792, words: [], links: [], figures: [], blocks },
    text: blocks.map(({ text }) => text).join('\n\n'),
    markdown: blocks.map(({ markdown }) => markdown).join('\n\n'),
  });

  it('splits identical tables separately and keeps the lines in the first part', () => {
    const lines: Block['lines'] = [['a', 0, 0, 1, 1]];
    const page = splitLongTables(
      buildPage(table(41, { lines }), table(41)),
      resolveParsePlan({ adaptive_long_table: true }).tables,
    );
    expect(page.blocks.map((block) => block.lines)).toEqual([lines, [], undefined, undefined]);
    expect(page.text).toBe(page.blocks.map(({ text }) => text).join('\n\n'));
    expect(page.markdown).toBe(page.blocks.map(({ markdown }) => markdown).join('\n\n'));
  });

  it('does not split a table whose text and Markdown have different rows', () => {
    const page = buildPage(table(50, { text: 'a\nb' }));
    expect(splitLongTables(page, resolveParsePlan({ adaptive_long_table: true }).tables)).toEqual(page);
  });

  it('does not split shorter tables', async () => {
    const page = await parsed(40, { adaptive_long_table: true });
    expect(page).toEqual(await parsed(40, {}));
  });
});
