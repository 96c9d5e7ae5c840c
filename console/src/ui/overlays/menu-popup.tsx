import { Menu } from '@base-ui/react/menu';
import { useEffect, useRef } from 'react';
import { classes } from '../classes.ts';
import { Icon, type IconName } from '../icons.tsx';
import styles from './overlays.module.css';
import { findOverlayRoot } from './root.ts';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  onChoose: () => void;
}

interface MenuPopupProps {
  id: string;
  label: string;
  items: readonly MenuItem[];
  /** Button that opened the menu. The menu follows it while the page scrolls. */
  anchor: HTMLElement;
  onClose: () => void;
}

/** Open menu beside its button. Arrow keys, Home, End and the first letters of an item move the focus. */
export function MenuPopup({ id, label, items, anchor, onClose }: MenuPopupProps) {
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In the next frame, because the menu itself takes the focus first.
    const frame = requestAnimationFrame(() =>
      popup.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Menu.Root
      open
      modal={false}
      onOpenChange={(isOpen, details) => {
        // A press of the menu's own button closes the menu through the button's click.
        const { target } = details.event;
        const isOwnButton = target instanceof Node && anchor.contains(target);
        if (details.reason === 'outside-press' && isOwnButton) details.cancel();
        else if (!isOpen) onClose();
      }}
    >
      <Menu.Portal container={findOverlayRoot(anchor)}>
        <Menu.Positioner
          anchor={anchor}
          positionMethod="fixed"
          side="bottom"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={styles.positioner}
        >
          <Menu.Popup
            ref={popup}
            id={id}
            aria-label={label}
            finalFocus={() => anchor}
            className={styles.menu}
          >
            {items.map(({ label: text, icon, danger, onChoose }) => (
              <Menu.Item
                key={text}
                label={text}
                className={classes(styles.item, danger && styles.danger)}
                onClick={onChoose}
              >
                {icon && <Icon name={icon} size={16} />}
                {text}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
