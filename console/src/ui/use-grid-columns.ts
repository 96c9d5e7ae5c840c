import {
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useEffect, useMemo } from 'react';
import type { GridColumn } from './grid.tsx';

const FEATURES = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
});

/** Width of a column in pixels that a user cannot go below. */
const MIN_PX = 64;
const MAX_PX = 900;
/** Change of a column's width in pixels for one press of a button. */
const STEP_PX = 24;

const NO_ROWS: never[] = [];

interface Layout {
  /** Widths in pixels of the columns that the user has resized. */
  columnSizing: Record<string, number>;
  /** Columns by key that the user has hidden (`false`) or shown again (`true`). */
  columnVisibility: Record<string, boolean>;
}

interface GridColumnsProps<Row> {
  /** Name under which the browser keeps the layout. Without a name, the layout lasts until the page is left. */
  name: string | undefined;
  columns: readonly GridColumn<Row>[];
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

/** Layout of a grid, for its header and its settings. */
export type GridColumns = Omit<ReturnType<typeof useGridColumns>, 'shown'>;

/**
 * Keeps widths, visibility and sort order of the columns of a grid. Widths and visibility are kept in the
 * browser's local storage. The caller keeps the sort order, usually in the page's address.
 */
export function useGridColumns<Row>({ name, columns, sort = '', onSort }: GridColumnsProps<Row>) {
  const key = name === undefined ? undefined : `sluice-columns:${name}`;
  const definitions = useMemo(
    () =>
      columns.map(({ key: id, header, sort: sortName }) => ({
        id,
        header,
        minSize: MIN_PX,
        maxSize: MAX_PX,
        accessorFn: () => undefined,
        enableSorting: sortName !== undefined && onSort !== undefined,
        enableHiding: id !== columns[0]?.key,
      })),
    [columns, onSort],
  );
  const [by, direction] = sort.split(' ');
  const sorted = columns.find(({ sort: sortName }) => sortName !== undefined && sortName === by);
  const sorting: SortingState = sorted ? [{ id: sorted.key, desc: direction === 'desc' }] : [];
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data: NO_ROWS,
    manualSorting: true,
    enableSortingRemoval: false,
    sortDescFirst: false,
    columnResizeMode: 'onChange',
    columnResizeDirection: document.dir === 'rtl' ? 'rtl' : 'ltr',
    initialState: useMemo(() => readLayout(key), [key]),
    state: { sorting },
    onSortingChange: (change) => {
      const [next] = typeof change === 'function' ? change(sorting) : change;
      const sortName = columns.find((column) => column.key === next?.id)?.sort;
      if (next && sortName) onSort?.(next.desc ? `${sortName} desc` : sortName);
    },
  });
  const { columnSizing, columnVisibility } = table.state;
  useEffect(() => {
    if (key !== undefined) localStorage.setItem(key, JSON.stringify({ columnSizing, columnVisibility }));
  }, [key, columnSizing, columnVisibility]);
  const shown = useMemo(
    () => columns.filter((column) => columnVisibility[column.key] !== false),
    [columns, columnVisibility],
  );
  const setWidth = (id: string, width: number) =>
    table.setColumnSizing((before) => ({
      ...before,
      [id]: Math.min(MAX_PX, Math.max(MIN_PX, Math.round(width))),
    }));
  return {
    table,
    shown,
    /** Returns the CSS width of a column: the one that the user set, or the one of its definition. */
    getWidth: ({ key: id, width }: Pick<GridColumn<never>, 'key' | 'width'>) =>
      columnSizing[id] === undefined ? width : `${columnSizing[id]}px`,
    setWidth,
    /** Makes a column wider (`1`) or narrower (`-1`). `current` is its width in pixels. */
    changeWidth: (id: string, current: number, steps: 1 | -1) => setWidth(id, current + steps * STEP_PX),
    reset: () => {
      table.resetColumnSizing(true);
      table.resetColumnVisibility(true);
    },
  };
}

/** Reads the stored layout. Anything that is not a layout is ignored, because a user can edit the storage. */
function readLayout(key: string | undefined): Layout {
  const layout: Layout = { columnSizing: {}, columnVisibility: {} };
  if (key === undefined) return layout;
  let stored: Partial<Record<keyof Layout, unknown>> | null = null;
  try {
    stored = JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return layout;
  }
  for (const [id, width] of Object.entries(stored?.columnSizing ?? {})) {
    if (typeof width === 'number' && width >= MIN_PX && width <= MAX_PX) layout.columnSizing[id] = width;
  }
  for (const [id, isShown] of Object.entries(stored?.columnVisibility ?? {})) {
    if (typeof isShown === 'boolean') layout.columnVisibility[id] = isShown;
  }
  return layout;
}
