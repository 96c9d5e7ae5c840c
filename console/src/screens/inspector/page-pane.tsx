import { useState } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { marksOf, PagePicture } from '../../ui/page-picture.tsx';
import styles from './inspector.module.css';
import { PageStrip } from './page-strip.tsx';
import type { Chunk } from './use-chunks.ts';

interface PagePaneProps {
  indexId: string;
  fileId: string;
  name: string;
  pageCount: number;
  /** From 0. */
  page: number;
  chosen: Chunk | undefined;
  toPage: (index: number) => void;
  onChoose: (key: string) => void;
}

/** In percent of the room there is. */
const ZOOMS = [50, 75, 100, 150, 200, 300];

/** The picture of a page with the places of its chunks. */
export function PagePane(props: PagePaneProps) {
  const { indexId, fileId, name, pageCount, page, chosen, toPage, onChoose } = props;
  const [zoom, setZoom] = useState(100);
  const { data: here = [] } = useAnswer('GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks', {
    params: { pipeline_id: indexId, file_id: fileId },
    query: { page_index: page, expand: ['citations'], limit: 100 },
  });
  const marks = here.flatMap(({ id_, citations }) =>
    marksOf(id_ ?? '', citations ?? [], page, id_ === chosen?.id_),
  );
  const by = (step: number) => ZOOMS[ZOOMS.indexOf(zoom) + step];
  const others = chosen?.page_indexes.filter((index) => index !== page) ?? [];
  return (
    <section className={styles.pane} aria-label="Page">
      <div className={styles.tools}>
        <IconButton
          icon="left"
          label="Page before"
          small
          disabled={page === 0}
          onClick={() => toPage(page - 1)}
        />
        <span className={styles.count}>
          Page {page + 1} of {pageCount}
        </span>
        <IconButton
          icon="right"
          label="Next page"
          small
          disabled={page === pageCount - 1}
          onClick={() => toPage(page + 1)}
        />
        {others.map((index) => (
          <Button key={index} small onClick={() => toPage(index)}>
            Chunk goes on at page {index + 1}
          </Button>
        ))}
        <span className={styles.end}>
          <IconButton
            icon="minus"
            label="Smaller"
            small
            disabled={by(-1) === undefined}
            onClick={() => setZoom(by(-1)!)}
          />
          <Button small look="quiet" onClick={() => setZoom(100)} aria-label={`${zoom} %, fit the width`}>
            {zoom} %
          </Button>
          <IconButton
            icon="plus"
            label="Larger"
            small
            disabled={by(1) === undefined}
            onClick={() => setZoom(by(1)!)}
          />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section className={styles.picture} tabIndex={0} aria-label={`Page ${page + 1}`}>
        <div style={{ width: `${zoom}%` }} className={styles.zoomed}>
          <PagePicture
            fileId={fileId}
            pageIndex={page}
            alt={`Page ${page + 1} of ${name}`}
            marks={marks}
            width={zoom > 100 ? 1600 : 1280}
            onChoose={onChoose}
          />
        </div>
      </section>
      {pageCount > 1 && (
        <PageStrip
          fileId={fileId}
          count={pageCount}
          page={page}
          marked={chosen?.page_indexes ?? []}
          toPage={toPage}
        />
      )}
    </section>
  );
}
