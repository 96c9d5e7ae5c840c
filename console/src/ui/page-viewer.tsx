import { type ReactNode, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Button, IconButton } from './button.tsx';
import { percent } from './format.ts';
import { type Mark, PagePicture, type Size } from './page-picture.tsx';
import { PageStrip } from './page-strip.tsx';
import styles from './page-viewer.module.css';

interface PageViewerProps {
  fileId: string;
  name: string;
  pageCount: number;
  /** Zero-based index of the page that is shown in large size. */
  page: number;
  toPage: (index: number) => void;
  size?: Size | undefined;
  marks?: readonly Mark[];
  /** Zero-based indexes of pages that are highlighted among the thumbnails. */
  marked?: readonly number[];
  onChoose?: (key: string) => void;
  /** Content shown beside the page number. */
  children?: ReactNode;
}

/** Zoom levels in percent of the available width. */
const ZOOMS = [50, 75, 100, 150, 200, 300];

/** Viewer for the pages of a file: one large page with navigation and zoom, and thumbnails below. */
export function PageViewer(props: PageViewerProps) {
  const { fileId, name, pageCount, page, toPage, size, marks = [], marked = [], onChoose, children } = props;
  const [zoom, setZoom] = useState(100);
  const neighbour = (step: number) => ZOOMS[ZOOMS.indexOf(zoom) + step];
  const label = t('Page {page} of {name}', { page: page + 1, name });
  return (
    <section className={styles.viewer} aria-label={t('Pages')}>
      <div className={styles.tools}>
        <IconButton
          icon="left"
          label={t('Previous page')}
          small
          disabled={page === 0}
          onClick={() => toPage(page - 1)}
        />
        <span className={styles.count}>
          {t('Page {page} of {total}', { page: page + 1, total: pageCount })}
        </span>
        <IconButton
          icon="right"
          label={t('Next page')}
          small
          disabled={page === pageCount - 1}
          onClick={() => toPage(page + 1)}
        />
        {children}
        <span className={styles.end}>
          <IconButton
            icon="minus"
            label={t('Zoom out')}
            small
            disabled={neighbour(-1) === undefined}
            onClick={() => setZoom(neighbour(-1)!)}
          />
          <Button small look="quiet" onClick={() => setZoom(100)} title={t('Fit width')}>
            {percent(zoom / 100)}
          </Button>
          <IconButton
            icon="plus"
            label={t('Zoom in')}
            small
            disabled={neighbour(1) === undefined}
            onClick={() => setZoom(neighbour(1)!)}
          />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className={styles.picture} tabIndex={0} aria-label={t('Page {page}', { page: page + 1 })}>
        <div style={{ width: `${zoom}%` }} className={styles.zoomed}>
          <PagePicture
            fileId={fileId}
            pageIndex={page}
            alt={label}
            size={size}
            marks={marks}
            width={zoom > 100 ? 1600 : 1280}
            onChoose={onChoose}
            hasTextTwin
          />
        </div>
      </section>
      {pageCount > 1 && (
        <PageStrip fileId={fileId} count={pageCount} page={page} marked={marked} toPage={toPage} />
      )}
    </section>
  );
}
