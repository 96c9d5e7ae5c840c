import { useMemo } from 'react';
import { count, plural } from '../../ui/format.ts';
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
  const [header = [], ...body] = rows;
  const columns = useMemo(() => buildColumns(header), [header]);
  const shown = body.slice(0, MAX_ROWS);
  const isCut = shown.length < body.length || header.length > MAX_COLUMNS;
  return (
    <section className={styles.table} aria-label={name}>
      <p role="status">
        {plural(body.length, 'row')}, {plural(header.length, 'column')}
        {isCut && `. The first ${count(shown.length)} rows and ${columns.length - 1} columns are shown.`}
      </p>
      <Grid
        label={`${name}, ${plural(body.length, 'row')}`}
        columns={columns}
        count={shown.length}
        rowAt={(index): Row | undefined => shown[index] && { number: index + 1, cells: shown[index] }}
        getRowKey={getRowKey}
        getRowName={getRowName}
        onRange={ignoreRange}
      />
    </section>
  );
}

const getRowKey = ({ number }: Row) => String(number);
const getRowName = ({ number }: Row) => `Row ${number}`;
/** All rows are in memory, so none have to be loaded. */
const ignoreRange = () => {};

const buildColumns = (header: readonly string[]): GridColumn<Row>[] => [
  { key: 'number', header: 'Row', width: '4.5rem', number: true, cell: ({ number }) => count(number) },
  ...header.slice(0, MAX_COLUMNS).map(
    (title, at): GridColumn<Row> => ({
      key: String(at),
      header: title.trim() || `Column ${at + 1}`,
      width: 'minmax(7rem, 1fr)',
      cell: ({ cells }) => <span title={cells[at]}>{cells[at] ?? ''}</span>,
    }),
  ),
];
