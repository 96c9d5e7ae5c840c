import { useEffect } from 'react';

const OFF = 'sluice-shortcuts-off';
/** Input types that take no typed text, so that letters pressed on them are shortcuts. */
const WITHOUT_TEXT = /^(?:button|checkbox|color|file|image|radio|range|reset|submit)$/;

/** Returns true if the element accepts typed text, such as an input field. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(?:TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !WITHOUT_TEXT.test(target.type)));

/**
 * Returns true if single-letter shortcuts are enabled. Users of speech input can turn them off, as WCAG 2.1.4
 * requires.
 */
export const areShortcutsEnabled = () => localStorage.getItem(OFF) === null;

export function enableShortcuts(isEnabled: boolean): void {
  if (isEnabled) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'true');
}

/** Time in milliseconds at which a sequence of keys, such as `g` and a letter, ends without its last key. */
let sequenceEnd = 0;

/** Begins a sequence of keys. Until `ms` milliseconds later, the next letter belongs to the sequence alone. */
export function beginSequence(ms: number): void {
  sequenceEnd = performance.now() + ms;
}

export function endSequence(): void {
  sequenceEnd = 0;
}

/** Returns true while a sequence of keys waits for its next letter. Other shortcuts then ignore letters. */
export const isSequencePending = () => performance.now() < sequenceEnd;

/**
 * Calls the matching function in `letters` when the user presses a key. Keys are ignored in text fields, in
 * menus, while a dialog is open, and while a sequence of keys is pending. `inSequence` is true for the letters
 * that end a sequence.
 */
export function useShortcuts(letters: Record<string, () => void>, inSequence = false): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!areShortcutsEnabled() || isTyping(event.target) || isSequencePending() !== inSequence) return;
      if (document.querySelector('dialog[open], [role=menu]')) return;
      const act = Object.hasOwn(letters, event.key) ? letters[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
