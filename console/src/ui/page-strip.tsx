import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { buildUrl } from '../api/client.ts';
import { t } from '../i18n/messages.ts';
import { classes } from './classes.ts';
import styles from './page-strip.module.css';
import { RequestedImage } from './requested-image.tsx';

const WIDTH_PX = 76;

/** Scrollable row of page thumbnails, which are loaded as they become visible. */
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
  /** Zero-based indexes of the pages that contain the selected chunk. */
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
    <nav ref={scroller} className={styles.strip} aria-label={t('Pages')}>
      <ol className={styles.pages} style={{ width: `${items.getTotalSize()}px` }}>
        {items.getVirtualItems().map(({ index, start }) => (
          <li key={index} className={styles.item} style={{ transform: `translateX(${start}px)` }}>
            <button
              type="button"
              className={classes(styles.page, marked.includes(index) && styles.marked)}
              aria-current={index === page ? 'page' : undefined}
              aria-label={t(
                marked.includes(index) ? 'Page {page}, contains the selected chunk' : 'Page {page}',
                { page: index + 1 },
              )}
              onClick={() => toPage(index)}
            >
              <RequestedImage
                src={buildUrl({
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
