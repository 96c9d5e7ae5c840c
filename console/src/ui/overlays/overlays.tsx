export { CodeSamples } from '../code-sample.tsx';
export { MenuPopup } from './menu-popup.tsx';
export { PopoverPopup } from './popover-popup.tsx';
export { addToast, Toasts } from './toasts.tsx';
export { TooltipPopup } from './tooltip-popup.tsx';
