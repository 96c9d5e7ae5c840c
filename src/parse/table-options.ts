import type { TableOptions } from '#src/documents/markdown/render-table.ts';
import type { ParseParameters } from './parameters/parameters.ts';

/** How the parameters ask for tables to be written. */
export const tableOptions = (parameters: ParseParameters): TableOptions => ({
  compact: parameters.compact_markdown_table,
  html: parameters.output_tables_as_HTML,
  headerSeparator: parameters.markdown_table_multiline_header_separator,
});
