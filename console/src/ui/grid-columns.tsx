import type { RefObject } from 'react';
import { t } from '../i18n/messages.ts';
import { Button, IconButton } from './button.tsx';
import { Checkbox } from './field.tsx';
import styles from './grid.module.css';
import { Popover } from './popover.tsx';
import type { GridColumns } from './use-grid-columns.ts';

/** Button that lets the user hide columns of a grid and change their widths. */
export function ColumnSettings({
  columns: { table, changeWidth, reset },
  grid,
}: {
  columns: GridColumns;
  grid: RefObject<HTMLElement | null>;
}) {
  const measure = (id: string) =>
    grid.current?.querySelector<HTMLElement>(`[data-column="${id}"]`)?.offsetWidth ?? 0;
  return (
    <div className={styles.tools}>
      <Popover label={t('Columns')} icon="settings">
        <ul className={styles.columns}>
          {table.getAllLeafColumns().map((column) => {
            const label = String(column.columnDef.header);
            const change = (steps: 1 | -1) => changeWidth(column.id, measure(column.id), steps);
            return (
              <li key={column.id}>
                <Checkbox
                  label={label}
                  checked={column.getIsVisible()}
                  disabled={!column.getCanHide()}
                  onChange={(event) => column.toggleVisibility(event.target.checked)}
                />
                <span>
                  <IconButton
                    small
                    icon="minus"
                    label={t('Narrower: {label}', { label })}
                    disabled={!column.getIsVisible()}
                    onClick={() => change(-1)}
                  />
                  <IconButton
                    small
                    icon="plus"
                    label={t('Wider: {label}', { label })}
                    disabled={!column.getIsVisible()}
                    onClick={() => change(1)}
                  />
                </span>
              </li>
            );
          })}
        </ul>
        <Button small onClick={reset}>
          {t('Reset columns')}
        </Button>
      </Popover>
    </div>
  );
}
