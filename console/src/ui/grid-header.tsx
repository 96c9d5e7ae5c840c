// biome-ignore-all lint/a11y/useSemanticElements: table rows cannot be positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of the body take the focus, one at a time
import styles from './grid.module.css';
import type { GridColumn } from './grid.tsx';
import { Icon } from './icons.tsx';
import type { Choice } from './use-choice.ts';

interface GridHeaderProps<Row> {
  columns: readonly GridColumn<Row>[];
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
  choice: Choice<Row> | undefined;
}

/**
 * Header row of the grid, which stays visible while scrolling. Clicking a column sorts by it, and a second
 * click reverses the order.
 */
export function GridHeader<Row>({ columns, sort = '', onSort, choice }: GridHeaderProps<Row>) {
  const [by, direction] = sort.split(' ');
  return (
    <div role="row" aria-rowindex={1} className={styles.header}>
      {choice && (
        <div role="columnheader" className={styles.choose}>
          <input
            type="checkbox"
            aria-label="Select all that match"
            checked={choice.isAll}
            ref={(box) => {
              if (box) box.indeterminate = choice.count > 0 && !choice.isAll;
            }}
            onChange={() => (choice.isAll ? choice.clear() : choice.chooseAll())}
          />
        </div>
      )}
      {columns.map(({ key, header, number, wide, sort: name }) => {
        const isSorted = name !== undefined && name === by;
        const isDown = direction === 'desc';
        return (
          <div
            key={key}
            role="columnheader"
            aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
            data-number={number}
            data-wide={wide}
          >
            {name && onSort ? (
              <button type="button" onClick={() => onSort(isSorted && !isDown ? `${name} desc` : name)}>
                {header}
                {isSorted && <Icon name={isDown ? 'down' : 'up'} size={14} />}
              </button>
            ) : (
              header
            )}
          </div>
        );
      })}
    </div>
  );
}
