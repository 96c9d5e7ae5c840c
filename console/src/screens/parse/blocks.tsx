import { useEffect, useRef } from 'react';
import { t } from '../../i18n/messages.ts';
import { classes } from '../../ui/classes.ts';
import view from './parse.module.css';
import { LazyRendered } from './rendered-lazily.tsx';
import type { ParsedPage } from './use-result.ts';

export type Item = NonNullable<ParsedPage['items']>[number];

const getLabels = (): Record<Item['type'], string> => ({
  heading: t('Heading'),
  paragraph: t('Paragraph'),
  list: t('List'),
  table: t('Table'),
  figure: t('Figure'),
  code: t('Code'),
  header: t('Page header'),
  footer: t('Page footer'),
});

/** Describes a block for screen readers, by its kind and position. */
const describeItem = (item: Item, at: number): string => {
  const values = { kind: getLabels()[item.type], number: at + 1 };
  return item.box
    ? t('{kind} {number}', values)
    : t('{kind} {number}, without a position on the page', values);
};

interface BlocksProps {
  items: readonly Item[];
  fileId: string | undefined;
  /** Position of the highlighted block. */
  active: number | undefined;
  onActivate: (at: number | undefined) => void;
}

/**
 * Rendered blocks of a page in reading order. The highlighted one is in view. Each block has a button with its kind,
 * which highlights the block on the picture.
 */
export function Blocks({ items, fileId, active, onActivate }: BlocksProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (active === undefined) return;
    const block = list.current?.children[active];
    // A block that the pointer or the focus is in is visible already, and must not move under the pointer.
    if (block && !block.matches(':hover, :focus-within')) block.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ol ref={list} className={view.blocks}>
      {items.map((item, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes
          key={at}
          className={classes(view.block, at === active && view.active)}
          data-block={at}
          onMouseEnter={() => onActivate(at)}
          onMouseLeave={() => onActivate(undefined)}
        >
          <button
            type="button"
            className={view.kind}
            aria-pressed={at === active}
            aria-label={describeItem(item, at)}
            onFocus={() => onActivate(at)}
            onBlur={() => onActivate(undefined)}
            onClick={() => onActivate(at)}
          >
            {getLabels()[item.type]}
          </button>
          <LazyRendered text={item.markdown} fileId={fileId} />
        </li>
      ))}
    </ol>
  );
}
