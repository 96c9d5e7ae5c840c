import { type ReactNode, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import type { IconName } from './icons.tsx';
import { useOverlays } from './overlays/load.ts';

/** Button that opens a small panel beside it, for options or details that do not need a dialog. */
export function Popover({
  label,
  icon,
  title = label,
  children,
}: {
  label: string;
  icon?: IconName;
  /** Heading of the panel, if it differs from the button's label. */
  title?: string;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const overlays = useOverlays(isOpen);
  return (
    <>
      <Button
        ref={button}
        small
        {...(icon && { icon })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen && overlays ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && overlays && button.current && (
        <overlays.PopoverPopup id={id} title={title} anchor={button.current} onClose={() => setOpen(false)}>
          {children}
        </overlays.PopoverPopup>
      )}
    </>
  );
}
