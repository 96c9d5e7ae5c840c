import { Tooltip } from '@base-ui/react/tooltip';
import styles from './overlays.module.css';
import { findOverlayRoot } from './root.ts';

/** Open tooltip beside an element. It closes with Escape, and stays open while the pointer is on it. */
export function TooltipPopup({
  anchor,
  text,
  onClose,
}: {
  anchor: HTMLElement;
  text: string;
  onClose: () => void;
}) {
  return (
    <Tooltip.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Tooltip.Portal container={findOverlayRoot(anchor)}>
        <Tooltip.Positioner
          anchor={anchor}
          positionMethod="fixed"
          side="top"
          sideOffset={6}
          collisionPadding={8}
          className={styles.positioner}
        >
          {/* The element has the same text as its accessible name. */}
          <Tooltip.Popup aria-hidden="true" data-tooltip-popup className={styles.tooltip}>
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
