import { useSyncExternalStore } from 'react';

let message = '';
let listeners: (() => void)[] = [];

/** Makes screen readers speak a text that is not visible on the page. */
export function announce(text: string): void {
  // Screen readers ignore an unchanged text, so a repeated message gets a trailing space.
  message = message === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners = [...listeners, listener];
  return () => {
    listeners = listeners.filter((each) => each !== listener);
  };
};

/** Invisible element whose text screen readers speak. It must be rendered once per page. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
