import { useState } from 'react';
import { addressOf, send } from '../api/client.ts';
import { classes } from './classes.ts';
import styles from './page-picture.module.css';
import { Failure } from './states.tsx';

/** In points from the upper left corner of the page. */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Size {
  width: number;
  height: number;
}

/** A passage and where it is printed on the page. */
export interface Mark {
  /** Unique among the marks of the page: a chunk's id. */
  key: string;
  /** What is printed there: read out in the place of the boxes. */
  text: string;
  boxes: readonly Box[];
  /** Of the page that the boxes are measured on. */
  page: Size;
  /** Shown at once; others only under the pointer. */
  chosen?: boolean;
}

export interface PagePictureProps {
  fileId: string;
  /** From 0. */
  pageIndex: number;
  /** "Page 2 of harbour-manual.pdf" */
  alt: string;
  marks?: readonly Mark[];
  /** Keeps the place of the picture until it has come; else that of the marks' page, or A4. */
  size?: Size | undefined;
  /** At least so many pixels of width are asked for: 160, 320, 640, 1280 or 1600. */
  width?: number;
  /** By the pointer. Give another way by keys: boxes are no stops of the Tab key. */
  onChoose?: ((key: string) => void) | undefined;
}

const A4: Size = { width: 595, height: 842 };

/** The picture of one page with the passages marked on it. It fills the width of what it stands in. */
export function PagePicture(props: PagePictureProps) {
  // Another page begins anew, with its own failure and its own wait.
  return <Picture key={`${props.fileId} ${props.pageIndex}`} {...props} />;
}

function Picture({ fileId, pageIndex, alt, marks = [], size, width = 1280, onChoose }: PagePictureProps) {
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [natural, setNatural] = useState<Size>();
  const request = {
    path: '/api/v1/files/{id}/page_screenshots/{page_index}',
    params: { id: fileId, page_index: pageIndex },
    query: { width, ...(attempt > 0 && { attempt }) },
  };
  // A picture does not tell why it did not come; asked in another way, the service does.
  const explain = () =>
    send({ method: 'GET', ...request }).then(
      () => setError(new Error('The picture came, but could not be shown.')),
      setError,
    );
  const retry = () => {
    setError(undefined);
    setNatural(undefined);
    setAttempt(attempt + 1);
  };
  if (error !== undefined) return <Failure error={error} what={`${alt} has no picture`} onRetry={retry} />;

  const { width: across, height: down } = natural ?? size ?? marks[0]?.page ?? A4;
  const chosen = marks.filter((mark) => mark.chosen);
  return (
    <figure
      className={styles.page}
      style={{ aspectRatio: `${across} / ${down}` }}
      data-state={natural ? 'shown' : 'loading'}
    >
      <img
        key={attempt}
        src={addressOf(request)}
        alt={alt}
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setNatural({ width: naturalWidth, height: naturalHeight })
        }
        onError={explain}
      />
      <div className={styles.marks} aria-hidden="true">
        {marks.map((mark) => (
          <Boxes key={mark.key} mark={mark} onChoose={onChoose} />
        ))}
      </div>
      {chosen.length > 0 && (
        <figcaption className="visually-hidden">
          Marked on this page:
          <ul>
            {chosen.map(({ key, text }) => (
              <li key={key}>{text}</li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}

/** Shares of the page, so that they hold at every size of the picture. */
function Boxes({ mark, onChoose }: { mark: Mark; onChoose: PagePictureProps['onChoose'] }) {
  const { key, boxes, page, chosen } = mark;
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <div className={classes(styles.mark, chosen && styles.chosen)} data-mark={key}>
      {boxes.map((box) => (
        // biome-ignore lint/a11y: the pointer's way only; who uses it gives the one by keys
        <span
          key={`${box.x} ${box.y} ${box.w} ${box.h}`}
          className={classes(styles.box, onChoose && styles.choice)}
          style={{
            left: share(box.x, page.width),
            top: share(box.y, page.height),
            width: share(box.w, page.width),
            height: share(box.h, page.height),
          }}
          onClick={onChoose && (() => onChoose(key))}
        />
      ))}
    </div>
  );
}

interface Citation {
  page: number;
  matching_text: string;
  bounding_boxes?: readonly Box[] | null | undefined;
  page_dimensions?: Size | null | undefined;
}

/** The marks that a citation of a node or of an extracted value makes on a page (from 0). */
export function marksOf(
  key: string,
  citations: readonly Citation[],
  pageIndex: number,
  chosen = true,
): Mark[] {
  const here = citations.find(({ page }) => page === pageIndex + 1);
  if (!here?.bounding_boxes?.length || !here.page_dimensions) return [];
  return [{ key, text: here.matching_text, boxes: here.bounding_boxes, page: here.page_dimensions, chosen }];
}
