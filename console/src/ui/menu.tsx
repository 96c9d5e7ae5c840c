import { type KeyboardEvent, useId, useRef } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  onChoose: () => void;
}

/** Menu of actions, opened by a button with three dots. */
export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const open = (opener: HTMLElement) => {
    const menu = list.current!;
    menu.togglePopover();
    if (!menu.matches(':popover-open')) return;
    const { bottom, top, right } = opener.getBoundingClientRect();
    const { offsetHeight: height, offsetWidth: width } = menu;
    menu.style.left = `${Math.max(8, right - width)}px`;
    menu.style.top = `${bottom + height + 8 > innerHeight ? Math.max(8, top - height - 4) : bottom + 4}px`;
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...list.current!.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <>
      <IconButton
        icon="more"
        label={label}
        small
        aria-haspopup="menu"
        aria-controls={id}
        onClick={(event) => open(event.currentTarget)}
      />
      <div
        id={id}
        ref={list}
        popover="auto"
        role="menu"
        aria-label={label}
        className={styles.menu}
        onKeyDown={move}
      >
        {items.map(({ label: word, icon, danger, onChoose }) => (
          <button
            key={word}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={classes(styles.item, danger && styles.danger)}
            onClick={() => {
              list.current!.hidePopover();
              onChoose();
            }}
          >
            {icon && <Icon name={icon} size={16} />}
            {word}
          </button>
        ))}
      </div>
    </>
  );
}
