import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';

interface CellFocus {
  /** Moves the focus to the active cell as soon as the cell is rendered. */
  focusActive: () => void;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
}

/**
 * Keeps the focus of a grid on the active cell. A cell loses the focus when its row is replaced, for
 * example when the row has loaded. `cell` is the position of the active cell as in its attribute `data-cell`.
 */
export function useCellFocus(grid: RefObject<HTMLElement | null>, cell: string): CellFocus {
  const isInGrid = useRef(false);
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isInGrid.current) return;
    const preventScroll = !isMoving.current;
    isMoving.current = false;
    const active = grid.current?.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
    if (active !== document.activeElement) active?.focus({ preventScroll });
  });
  return {
    focusActive() {
      isInGrid.current = true;
      isMoving.current = true;
    },
    // An editor or a button in a cell keeps the focus.
    onFocus({ target }) {
      isInGrid.current = target.matches('[data-cell]');
    },
    // React reports no blur of a cell that it removes.
    onBlur() {
      isInGrid.current = false;
    },
  };
}
