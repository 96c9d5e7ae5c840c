// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and names the chosen option
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { t } from '../../i18n/messages.ts';
import { count } from '../../ui/format.ts';
import styles from './chunks.module.css';
import { splitAtMatches, toPlainText } from './text.ts';
import type { Chunk, Chunks } from './use-chunks.ts';

interface ChunkListProps {
  chunks: Chunks;
  chosen: Chunk | undefined;
  isSource: boolean;
  /** Search text to highlight in the listed chunks. */
  words: string;
  onChoose: (chunk: Chunk) => void;
}

const ESTIMATED_HEIGHT_PX = 150;

/** Shows a list of chunks. Only chunks near the visible part of the list are rendered. */
export function ChunkList({ chunks, chosen, isSource, words, onChoose }: ChunkListProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { total, chunkAt, onRange } = chunks;
  const at = chosen ? chunks.getPosition(chosen) : -1;
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_HEIGHT_PX,
    overscan: 5,
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(total - 1, endIndex + overscan);
      const near = Array.from({ length: last - first + 1 }, (_, each) => first + each);
      if (at < 0 || at >= total) return near;
      return at < first ? [at, ...near] : at > last ? [...near, at] : near;
    },
  });
  const { startIndex, endIndex } = list.range ?? { startIndex: 0, endIndex: 0 };
  useEffect(
    () => onRange(startIndex, Math.min(total - 1, endIndex + 5)),
    [startIndex, endIndex, total, onRange],
  );
  const scrollTo = useRef(list.scrollToIndex);
  useEffect(() => {
    if (at >= 0) scrollTo.current(at, { align: 'auto' });
  }, [at]);
  const press = (event: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: total - 1 }[event.key];
    const next = to === undefined ? undefined : chunkAt(Math.min(Math.max(0, to), total - 1));
    if (!next) return;
    event.preventDefault();
    onChoose(next);
  };
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label={t('Chunks of the file')}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      tabIndex={0}
      className={styles.list}
      onKeyDown={press}
    >
      <div role="presentation" className={styles.body} style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const chunk = chunkAt(index);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
            <div
              key={index}
              ref={list.measureElement}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              aria-setsize={total}
              aria-posinset={index + 1}
              data-index={index}
              className={styles.chunk}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => chunk && onChoose(chunk)}
            >
              {chunk ? <ChunkText {...{ chunk, isSource, words }} /> : <span className={styles.waiting} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function ChunkText({ chunk, isSource, words }: { chunk: Chunk; isSource: boolean; words: string }) {
  const { order, page_indexes: pages, token_count, character_count, text, enabled } = chunk;
  const shown = isSource ? (text ?? '') : toPlainText(text ?? '');
  return (
    <>
      <span className={styles.facts}>
        <strong>{count(order + 1)}</strong>
        {pages.length > 0 && <span>{formatPages(pages)}</span>}
        <span>{t('{count, plural, one {# token} other {# tokens}}', { count: token_count })}</span>
        <span>
          {t('{count, plural, one {# character} other {# characters}}', { count: character_count })}
        </span>
        {!enabled && <strong>{t('Disabled')}</strong>}
      </span>
      <span className={isSource ? styles.source : styles.text} dir="auto">
        {splitAtMatches(shown, words).map(({ from, part, isFound }) =>
          isFound ? <mark key={from}>{part}</mark> : <span key={from}>{part}</span>,
        )}
      </span>
    </>
  );
}

const formatPages = (indexes: readonly number[]) =>
  indexes.length === 1
    ? t('page {page}', { page: indexes[0]! + 1 })
    : t('pages {first}–{last}', { first: indexes[0]! + 1, last: indexes.at(-1)! + 1 });
