/**
 * Returns the element that overlays of `anchor` are rendered into. Content outside an open modal dialog cannot
 * be used, so overlays of a dialog belong into the dialog.
 */
export const findOverlayRoot = (anchor: HTMLElement): HTMLElement =>
  anchor.closest<HTMLElement>('dialog, main, aside') ?? document.body;
