import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { addressOf } from '../api/client.ts';
import { classes } from './classes.ts';
import styles from './page-strip.module.css';

const WIDTH_PX = 76;

/** Small pictures of the pages, drawn and asked for as they come into view. */
export function PageStrip({
  fileId,
  count,
  page,
  marked,
  toPage,
}: {
  fileId: string;
  count: number;
  page: number;
  /** Pages that the chosen chunk is on. */
  marked: readonly number[];
  toPage: (index: number) => void;
}) {
  const scroller = useRef<HTMLElement>(null);
  const items = useVirtualizer({
    count,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: () => WIDTH_PX,
    overscan: 4,
  });
  const scrollTo = useRef(items.scrollToIndex);
  useEffect(() => scrollTo.current(page), [page]);
  return (
    <nav ref={scroller} className={styles.strip} aria-label="Pages">
      <ol className={styles.pages} style={{ width: `${items.getTotalSize()}px` }}>
        {items.getVirtualItems().map(({ index, start }) => (
          <li key={index} className={styles.place} style={{ transform: `translateX(${start}px)` }}>
            <button
              type="button"
              className={classes(styles.page, marked.includes(index) && styles.marked)}
              aria-current={index === page ? 'page' : undefined}
              aria-label={`Page ${index + 1}${marked.includes(index) ? ', has the chosen chunk' : ''}`}
              onClick={() => toPage(index)}
            >
              <img
                src={addressOf({
                  path: '/api/v1/files/{id}/page_screenshots/{page_index}',
                  params: { id: fileId, page_index: index },
                  query: { width: 160 },
                })}
                alt=""
                loading="lazy"
              />
              {index + 1}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
