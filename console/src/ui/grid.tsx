// biome-ignore-all lint/a11y/useSemanticElements: table rows cannot be positioned absolutely
// biome-ignore-all lint/a11y/useFocusableInteractive: rows of the body take the focus, one at a time
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { classes } from './classes.ts';
import styles from './grid.module.css';
import { ColumnSettings } from './grid-columns.tsx';
import { GridHeader } from './grid-header.tsx';
import { GridRow } from './grid-row.tsx';
import type { Choice } from './use-choice.ts';
import { useGridColumns } from './use-grid-columns.ts';
import { isSequencePending, useShortcuts } from './use-shortcuts.ts';

export interface GridColumn<Row> {
  key: string;
  header: string;
  /** Width of the CSS grid column, such as `8rem` or `minmax(12rem, 1fr)`. */
  width: string;
  number?: boolean;
  /** True if the column is hidden on narrow screens. */
  wide?: boolean;
  /** Name of the column for sorting through the API. A column without this name cannot be sorted. */
  sort?: string;
  cell: (row: Row) => ReactNode;
}

export interface GridProps<Row> {
  label: string;
  /**
   * Name under which the browser remembers widths and visibility of the columns, such as `files`. Without a
   * name, the columns cannot be hidden.
   */
  name?: string;
  /**
   * Columns of the grid. Pass the same array in every render, because a new array renders every row again.
   */
  columns: readonly GridColumn<Row>[];
  /** Total number of rows, including rows that are not loaded yet. */
  count: number;
  /**
   * Returns the row at a position, as the same object in every render unless the row changed. Returns
   * `undefined` if the row is not loaded yet, in which case the grid shows a placeholder.
   */
  rowAt: (index: number) => Row | undefined;
  getRowKey: (row: Row) => string;
  getRowName: (row: Row) => string;
  /** Called with the first and last index of the visible rows, so that the caller can load them. */
  onRange: (first: number, last: number) => void;
  /** Current sort order: the name of a column, followed by ` desc` for descending order. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  choice?: Choice<Row> | undefined;
  /** Called when a row is opened with Enter or a click. */
  onOpen?: (row: Row) => void;
}

const ROW_PX = 44;
/** Height of a row in narrow windows, where the row is a card of two lines. */
const CARD_PX = 72;
/** Height of a row in wide windows, which show more rows. */
const DENSE_PX = 36;
const NARROW = matchMedia('(max-width: 600px)');
const WIDE = matchMedia('(min-width: 1440px)');

const subscribeToWidth = (changed: () => void) => {
  for (const query of [NARROW, WIDE]) query.addEventListener('change', changed);
  return () => {
    for (const query of [NARROW, WIDE]) query.removeEventListener('change', changed);
  };
};
const getRowHeight = () => (NARROW.matches ? CARD_PX : WIDE.matches ? DENSE_PX : ROW_PX);

/** Returns the heights of the rows and of the header in pixels, which depend on the width of the window. */
function useHeights() {
  const row = useSyncExternalStore(subscribeToWidth, getRowHeight);
  return { row, header: Math.min(row, ROW_PX) };
}
const OVERSCAN = 8;

/**
 * Table of any length. Only rows near the visible area are rendered, and rows are loaded as they become
 * visible.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, name, columns, count, rowAt, getRowKey, getRowName, onRange, choice, onOpen } = props;
  const layout = useGridColumns({ name, columns, sort: props.sort, onSort: props.onSort });
  const { shown, getWidth } = layout;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const current = Math.min(active, Math.max(0, count - 1));
  const heights = useHeights();
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => heights.row,
    overscan: OVERSCAN,
    scrollPaddingStart: heights.header,
    paddingStart: heights.header,
    // The focused row stays rendered while it is scrolled out of view, because the focus would be lost
    // otherwise.
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(count - 1, endIndex + overscan);
      const near = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      return current < first ? [current, ...near] : current > last ? [...near, current] : near;
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured again at another height
  useEffect(() => rows.measure(), [heights.row]);
  const { startIndex, endIndex } = rows.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(() => {
    if (count > 0) onRange(startIndex, Math.min(count - 1, endIndex + OVERSCAN));
  }, [startIndex, endIndex, count, onRange]);

  const focus = (index: number) => {
    setActive(index);
    rows.scrollToIndex(index);
    // Sets the focus in the next frame, because the row may not be rendered yet.
    requestAnimationFrame(() => findRow(scroller.current, index)?.focus({ preventScroll: true }));
  };
  const go = (index: number, extends_: boolean) => {
    const to = Math.max(0, Math.min(count - 1, index));
    if (extends_ && choice) void choice.chooseRange(anchor.current, to);
    else anchor.current = to;
    focus(to);
  };
  // These keys also work before a row has the focus. The first press focuses the row that had it last.
  const wasFocused = useRef(false);
  const noteFocus = useCallback((index: number) => {
    wasFocused.current = true;
    setActive(index);
  }, []);
  const step = (by: number) => {
    focus(wasFocused.current ? Math.max(0, Math.min(count - 1, current + by)) : current);
    wasFocused.current = true;
  };
  useShortcuts(count > 0 ? { j: () => step(1), k: () => step(-1), x: () => toggle(current) } : {});
  const toggle = (index: number) => {
    const row = rowAt(index);
    if (!row || !choice) return;
    anchor.current = index;
    choice.toggle(row);
  };
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.role !== 'row') return;
    if (event.key.length === 1 && isSequencePending()) return;
    const onePage = Math.max(1, endIndex - startIndex - 1);
    const steps: Record<string, number> = {
      ...{ ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 },
      ...{ PageDown: onePage, PageUp: -onePage, Home: -count, End: count },
    };
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key === 'a' && choice) choice.chooseAll();
    else if (isCommand || event.altKey) return;
    else if (steps[event.key] !== undefined) go(current + steps[event.key]!, event.shiftKey);
    else if (event.key === ' ' || event.key === 'x') toggle(current);
    else if (event.key === 'Enter' && rowAt(current)) onOpen?.(rowAt(current)!);
    else if (event.key === 'Escape' && choice?.count) choice.clear();
    else return;
    event.preventDefault();
  };
  const click = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const found = target.closest<HTMLElement>('[role=row][data-index]');
    if (!found || target.closest('a, button')) return;
    const index = Number(found.dataset.index);
    setActive(index);
    const isBox = target.closest('[data-choose]');
    if (event.shiftKey && choice) void choice.chooseRange(anchor.current, index);
    else if (isBox) toggle(index);
    else if (rowAt(index)) onOpen?.(rowAt(index)!);
    if (!event.shiftKey) anchor.current = index;
  };

  const template = (visible: readonly GridColumn<Row>[]) =>
    [...(choice ? ['2.75rem'] : []), ...visible.map(getWidth)].join(' ');
  const variables = {
    '--row': `${heights.header}px`,
    '--columns': template(shown),
    '--columns-narrow': template(shown.filter(({ wide }) => !wide)),
  };
  return (
    <div className={styles.container} data-table>
      {name !== undefined && <ColumnSettings columns={layout} grid={scroller} />}
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={shown.length + (choice ? 1 : 0)}
        aria-multiselectable={choice ? true : undefined}
        className={styles.grid}
        style={variables as React.CSSProperties}
        onKeyDown={press}
        onClick={click}
      >
        <div
          role="presentation"
          className={classes(styles.body)}
          style={{ height: `${rows.getTotalSize()}px` }}
        >
          <GridHeader columns={shown} layout={layout} choice={choice} />
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = rowAt(index);
            return (
              <GridRow
                key={index}
                index={index}
                start={start}
                row={row}
                columns={shown}
                name={row ? getRowName(row) : ''}
                isActive={index === current}
                isChosen={choice && row !== undefined && choice.has(getRowKey(row))}
                onFocus={noteFocus}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const findRow = (grid: HTMLElement | null, index: number) =>
  grid?.querySelector<HTMLElement>(`[data-index="${index}"]`);
