import { type RefObject, useEffect, useState } from 'react';

/** Returns whether an element has been in the visible part of the window. */
export function useIsVisible(element: RefObject<HTMLElement | null>): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    if (isVisible || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isVisible]);
  return isVisible;
}
