import { useMemo, useRef } from 'react';
import styles from './text-layer.module.css';
import { buildTextRuns, type TextRun } from './text-runs.ts';
import { useIsVisible } from './use-is-visible.ts';
import { type PageSource, type PageText, usePageText } from './use-page-text.ts';

interface TextLayerProps extends PageSource {
  /** True if the pointer has been on the picture, so that the user may be about to select text. */
  isPointed: boolean;
  /** True if the text is hidden from screen readers, because the page shows it in another place as well. */
  hasTextTwin: boolean;
}

/**
 * Invisible text over the picture of a page, which can be selected, copied, and found by the search of the browser. It
 * is loaded when the picture becomes visible. A page without known text has an empty layer.
 */
export function TextLayer({ isPointed, hasTextTwin, ...source }: TextLayerProps) {
  const layer = useRef<HTMLDivElement>(null);
  const isVisible = useIsVisible(layer);
  const page = usePageText(source, { isVisible, isPointed });
  const runs = useMemo(() => page && buildTextRuns(page.words), [page]);
  return (
    <div
      ref={layer}
      className={styles.layer}
      dir="ltr"
      translate="no"
      aria-hidden={hasTextTwin || undefined}
      data-text-layer={runs ? 'shown' : 'empty'}
    >
      {page &&
        runs?.map((run, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other identity and never move
          <span key={position} dir="auto" style={placeRun(run, page)}>
            {run.text}
            {run.after}
          </span>
        ))}
    </div>
  );
}

/** Font size in pixels at which the width of a text is measured. */
const MEASURED_PX = 100;

let canvas: CanvasRenderingContext2D | null | undefined;

/** Returns the width of a text as a multiple of its font size. */
function measureWidth(text: string): number {
  if (canvas === undefined) {
    canvas = document.createElement('canvas').getContext('2d');
    if (canvas) canvas.font = [`${MEASURED_PX}px`, 'sans-serif'].join(' ');
  }
  return (canvas?.measureText(text).width ?? 0) / MEASURED_PX;
}

/** Returns the style that lets the text of a run fill its box, whatever the font of the page is. */
function placeRun({ text, x, y, w, h }: TextRun, page: PageText) {
  const natural = measureWidth(text) * h;
  return {
    left: `${(x / page.width) * 100}%`,
    top: `${(y / page.height) * 100}%`,
    fontSize: `${(h / page.height) * 100}cqh`,
    transform: `scaleX(${natural > 0 ? w / natural : 1})`,
  };
}
