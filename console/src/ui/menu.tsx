import { useId, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import type { IconName } from './icons.tsx';
import { useOverlays } from './overlays/load.ts';
import type { MenuItem } from './overlays/menu-popup.tsx';

export type { MenuItem };

/** Menu of actions, opened by a button with three dots. */
export function Menu({
  label,
  icon = 'more',
  items,
  writes = true,
}: {
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
  /** Whether the actions change something. The menu is disabled for users who may only read. */
  writes?: boolean;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const overlays = useOverlays(isOpen);
  return (
    <>
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        small
        writes={writes}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen && overlays ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
      />
      {isOpen && overlays && button.current && (
        <overlays.MenuPopup
          id={id}
          label={label}
          items={items}
          anchor={button.current}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
