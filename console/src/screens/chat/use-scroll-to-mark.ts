import { type RefObject, useEffect } from 'react';

/** Scrolls the first marked text of an element into view, as soon as it is rendered. Does nothing if not `isEnabled`. */
export function useScrollToMark(container: RefObject<HTMLElement | null>, isEnabled: boolean): void {
  useEffect(() => {
    const element = container.current;
    if (!element || !isEnabled) return undefined;
    // A long text is rendered in several steps.
    const scroll = () => {
      const mark = element.querySelector('mark');
      if (!mark) return;
      observer.disconnect();
      mark.scrollIntoView({ block: 'nearest' });
    };
    const observer = new MutationObserver(scroll);
    observer.observe(element, { childList: true, subtree: true });
    scroll();
    return () => observer.disconnect();
  }, [container, isEnabled]);
}
