import { type Rendered, type Run, renderRuns } from './runs.ts';

export interface ListItem {
  /** Nesting level; 0 is the outermost. */
  level: number;
  ordered: boolean;
  /** Number of an ordered item. If absent, the item continues the count. */
  number?: number | undefined;
  /** True for a further paragraph of the item before. It has no marker of its own. */
  isContinued?: boolean;
  runs: Run[];
}

/** Deeper items are shown at this level, because their indentation alone would outgrow the text. */
const MAX_LEVEL = 15;

interface OpenLevel {
  width: number;
  next: number;
}

/** Renders a list and its nested lists as one block. */
export function renderList(items: readonly ListItem[], options: { links: boolean }): Rendered {
  const open: OpenLevel[] = [];
  const markdown: string[] = [];
  const text: string[] = [];
  for (const item of items) {
    // An item may skip levels that no earlier item opened. It is shown one level below the deepest open
    // level.
    const level = Math.min(item.level, open.length, MAX_LEVEL);
    open.length = Math.min(open.length, level + 1);
    const here = open[level] ?? { width: 2, next: 1 };
    open[level] = here;
    const number = item.number ?? here.next;
    let marker = item.ordered ? `${number}. ` : '- ';
    if (item.isContinued) {
      marker = ' '.repeat(here.width);
      markdown.push('');
    } else {
      here.next = number + 1;
      here.width = marker.length;
    }
    const indent = ' '.repeat(open.slice(0, level).reduce((sum, { width }) => sum + width, 0));
    const rendered = renderRuns(item.runs, { ...options, lineStart: false });
    const inner = rendered.markdown.replace(/\n/g, `\n${indent}${' '.repeat(marker.length)}`);
    markdown.push(`${indent}${marker}${inner}`.trimEnd());
    const isNumbered = item.ordered && !item.isContinued;
    text.push(`${'  '.repeat(level)}${isNumbered ? marker : ''}${rendered.text}`.trimEnd());
  }
  return { text: text.join('\n'), markdown: markdown.join('\n') };
}
