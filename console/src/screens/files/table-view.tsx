import { useMemo } from 'react';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { count } from '../../ui/format.ts';
import { Grid, type GridColumn } from '../../ui/grid.tsx';
import styles from './viewer.module.css';

/** Maximum number of columns and rows that are shown of a table. */
const MAX_COLUMNS = 50;
const MAX_ROWS = 10_000;

interface Row {
  number: number;
  cells: readonly string[];
}

/** Cells of a table. The first row is the header. Cells are text, so formulas are shown and never computed. */
export function TableView({ rows, name }: { rows: readonly (readonly string[])[]; name: string }) {
  const { header, body } = useMemo(() => splitTable(rows), [rows]);
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => buildColumns(header), [header, language]);
  const isCut = body.length > MAX_ROWS || header.length > MAX_COLUMNS;
  return (
    <section className={styles.table} aria-label={name}>
      <p role="status">
        {t(
          '{rows, plural, one {# row} other {# rows}}, {columns, plural, one {# column} other {# columns}}',
          {
            rows: body.length,
            columns: header.length,
          },
        )}
        {isCut &&
          `. ${t('The first {rows} rows and {columns} columns are shown.', {
            rows: count(Math.min(body.length, MAX_ROWS)),
            columns: columns.length - 1,
          })}`}
      </p>
      <Grid
        label={`${name}, ${t('{count, plural, one {# row} other {# rows}}', { count: body.length })}`}
        columns={columns}
        count={Math.min(body.length, MAX_ROWS)}
        rowAt={(index) => body[index]}
        getRowKey={getRowKey}
        getRowName={getRowName}
        onRange={ignoreRange}
      />
    </section>
  );
}

function splitTable([header = [], ...body]: readonly (readonly string[])[]) {
  return { header, body: body.map((cells, index): Row => ({ number: index + 1, cells })) };
}

const getRowKey = ({ number }: Row) => String(number);
const getRowName = ({ number }: Row) => t('Row {number}', { number });
/** All rows are in memory, so none have to be loaded. */
const ignoreRange = () => {};

const buildColumns = (header: readonly string[]): GridColumn<Row>[] => [
  { key: 'number', header: t('Row'), width: '4.5rem', number: true, cell: ({ number }) => count(number) },
  ...header.slice(0, MAX_COLUMNS).map(
    (title, at): GridColumn<Row> => ({
      key: String(at),
      header: title.trim() || t('Column {number}', { number: at + 1 }),
      width: 'minmax(7rem, 1fr)',
      cell: ({ cells }) => <span title={cells[at]}>{cells[at] ?? ''}</span>,
    }),
  ),
];
