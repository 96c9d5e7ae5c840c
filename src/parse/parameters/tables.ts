import { flag, text } from './define.ts';

/** Parameters for recognizing and writing tables. */
export const tableParameters = {
  adaptive_long_table: flag({
    description:
      'Splits tables of more than 40 rows on a page into several tables, each with the header row. If a model reads the page, this applies to the tables that the model is given.',
  }),
  aggressive_table_extraction: flag({
    description:
      'PDF: treats aligned text as a table from two rows on, even if cells are long or empty. Some text that is not a table also becomes a table.',
  }),
  outlined_table_extraction: flag({
    description:
      'PDF: ruled lines around two or more cells are a table, also if it has one row or one column. Otherwise a ruled table needs two rows and two columns.',
  }),
  compact_markdown_table: flag({ description: 'Writes Markdown tables without padding.' }),
  output_tables_as_HTML: flag({ description: 'Writes tables in the Markdown as HTML.' }),
  markdown_table_multiline_header_separator: text({
    default: '`<br>`',
    description:
      'Separates the lines of a header cell in Markdown. In PDF, also separates header rows that are read as one row.',
  }),
  merge_tables_across_pages_in_markdown: flag({
    description:
      'In the text that is chunked, a table that continues on the next page becomes one table on the page where it begins. A repeated header row is left out.',
  }),
  keep_page_separator_when_merging_tables: flag({
    description:
      'Writes `page_separator` also where `merge_tables_across_pages_in_markdown` joined a table across pages. Otherwise a blank line separates the pages.',
  }),
};
