import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import styles from './overlays.module.css';
import { findOverlayRoot } from './root.ts';

interface PopoverPopupProps {
  id: string;
  title: string;
  /** Button that opened the popover. The popover follows it while the page scrolls. */
  anchor: HTMLElement;
  onClose: () => void;
  children: ReactNode;
}

/** Open popover beside its button. It closes with Escape, with a click outside, and when the focus leaves. */
export function PopoverPopup({ id, title, anchor, onClose, children }: PopoverPopupProps) {
  return (
    <Popover.Root
      open
      onOpenChange={(isOpen, details) => {
        // A press of the popover's own button closes the popover through the button's click.
        const { target } = details.event;
        const isOwnButton = target instanceof Node && anchor.contains(target);
        if (details.reason === 'outside-press' && isOwnButton) details.cancel();
        else if (!isOpen) onClose();
      }}
    >
      <Popover.Portal container={findOverlayRoot(anchor)}>
        <Popover.Positioner
          anchor={anchor}
          positionMethod="fixed"
          side="bottom"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={styles.positioner}
        >
          <Popover.Popup id={id} finalFocus={() => anchor} className={styles.popover}>
            <Popover.Title className={styles.title}>{title}</Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
