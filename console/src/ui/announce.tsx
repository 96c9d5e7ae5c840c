import { useSyncExternalStore } from 'react';

let said = '';
let listeners: (() => void)[] = [];

/** Says something to those who hear the page; nobody sees it. */
export function announce(text: string): void {
  // The same words twice are two announcements.
  said = said === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners = [...listeners, listener];
  return () => {
    listeners = listeners.filter((each) => each !== listener);
  };
};

/** Stands once in the page. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
