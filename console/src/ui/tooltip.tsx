import { useEffect, useState } from 'react';
import { useOverlays } from './overlays/load.ts';

/** Milliseconds that the pointer rests on an element before its tooltip opens. */
const DELAY_MS = 400;

interface Tip {
  anchor: HTMLElement;
  text: string;
}

const findTip = (target: EventTarget | null): Tip | undefined => {
  const anchor = target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null;
  return anchor ? { anchor, text: anchor.dataset.tooltip! } : undefined;
};

/**
 * Shows the tooltips of the page: of each element with a `data-tooltip` attribute, when the pointer rests on
 * the element or when the keyboard moves the focus to it. It must be rendered once per page.
 */
export function Tooltips() {
  const [tip, setTip] = useState<Tip>();
  const overlays = useOverlays(tip !== undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const schedule = (act: () => void, delay: number) => {
      clearTimeout(timer);
      timer = setTimeout(act, delay);
    };
    const hide = () => schedule(() => setTip(undefined), 0);
    const enter = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'touch') return;
      if (target instanceof Element && target.closest('[data-tooltip-popup]')) return clearTimeout(timer);
      const found = findTip(target);
      if (found) schedule(() => setTip(found), DELAY_MS);
      else schedule(() => setTip(undefined), 100);
    };
    const focus = ({ target }: FocusEvent) => {
      const found = target instanceof Element && target.matches(':focus-visible') && findTip(target);
      if (found) schedule(() => setTip(found), 0);
      else hide();
    };
    document.addEventListener('pointerover', enter);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('focusin', focus);
    document.addEventListener('focusout', hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', enter);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('focusin', focus);
      document.removeEventListener('focusout', hide);
    };
  }, []);
  if (!tip?.anchor.isConnected || !overlays) return null;
  return <overlays.TooltipPopup {...tip} onClose={() => setTip(undefined)} />;
}
