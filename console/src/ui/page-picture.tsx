import { type MouseEvent, useRef, useState } from 'react';
import { buildUrl, send } from '../api/client.ts';
import { t } from '../i18n/messages.ts';
import { classes } from './classes.ts';
import styles from './page-picture.module.css';
import { RequestedImage } from './requested-image.tsx';
import { Failure } from './states.tsx';
import { TextLayer } from './text-layer/text-layer.tsx';

/** Rectangle on a page, in points. The origin is the upper left corner of the page. */
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

/** Highlighted passage and its position on the page. */
export interface Mark {
  /** Key that is unique on the page, such as the id of a chunk. */
  key: string;
  /** Text of the passage, which screen readers announce instead of the boxes. */
  text: string;
  boxes: readonly Box[];
  /** Size of the page in the unit of the boxes, in points. */
  page: Size;
  /** True if the passage is always highlighted. Other passages are highlighted only on hover. */
  chosen?: boolean;
  /** Boxes of sentences in the passage. If there are any, the rest of the passage is highlighted less. */
  sentences?: readonly Box[];
}

export interface PagePictureProps {
  fileId: string;
  /** Zero-based index of the page in the file. */
  pageIndex: number;
  /** Alternative text, such as "Page 2 of harbour-manual.pdf". */
  alt: string;
  marks?: readonly Mark[];
  /**
   * Page size that reserves space until the image has loaded. Defaults to the page size of the first mark, or
   * to A4.
   */
  size?: Size | undefined;
  /** Minimum image width in pixels to request: 160, 320, 640, 1280 or 1600. */
  width?: number;
  /** Called when a box is clicked. Boxes cannot be focused, so provide a keyboard alternative. */
  onChoose?: ((key: string) => void) | undefined;
  /** Called with the key of the mark that the pointer enters, and with `undefined` when the pointer leaves it. */
  onPoint?: ((key: string | undefined) => void) | undefined;
  /** True if passages that are not highlighted have a thin outline. */
  outlined?: boolean;
  /** Id of a parse job whose words can be selected. By default, the words of the file can be selected. */
  parseJobId?: string;
  /** True if the text of the page is also shown elsewhere, so that screen readers read it only there. */
  hasTextTwin?: boolean;
}

const A4: Size = { width: 595, height: 842 };
/** Minimum width of a picture whose text can be selected. Smaller pictures are thumbnails. */
const MIN_TEXT_WIDTH = 640;
/** Distance in pixels up to which a press of the pointer is a click. Further movements select text. */
const MAX_CLICK_PX = 4;

/** Image of one page with highlighted passages. It fills the width of its container. */
export function PagePicture(props: PagePictureProps) {
  // A new React key for each page resets the loading state and the error of the previous page.
  return <Picture key={`${props.fileId} ${props.pageIndex}`} {...props} />;
}

function Picture(props: PagePictureProps) {
  const { fileId, pageIndex, alt, marks = [], size, width = 1280, outlined, parseJobId } = props;
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [natural, setNatural] = useState<Size>();
  const pointer = usePointer(props);
  const request = {
    path: '/api/v1/files/{id}/page_screenshots/{page_index}',
    params: { id: fileId, page_index: pageIndex },
    query: { width, ...(attempt > 0 && { attempt }) },
  };
  // An image element does not report why loading failed, so the same URL is requested again to get the error.
  const explain = () =>
    send({ method: 'GET', ...request }).then(
      () => setError(new Error(t('The image was received but could not be displayed.'))),
      setError,
    );
  const retry = () => {
    setError(undefined);
    setNatural(undefined);
    setAttempt(attempt + 1);
  };
  if (error !== undefined)
    return <Failure error={error} what={t('{name} could not be displayed', { name: alt })} onRetry={retry} />;

  const { width: across, height: down } = natural ?? size ?? marks[0]?.page ?? A4;
  const chosen = marks.filter((mark) => mark.chosen);
  return (
    <figure
      {...pointer.handlers}
      className={classes(styles.page, pointer.key !== undefined && styles.choice)}
      style={{ aspectRatio: `${across} / ${down}` }}
      data-state={natural ? 'shown' : 'loading'}
    >
      <RequestedImage
        key={attempt}
        src={buildUrl(request)}
        alt={alt}
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setNatural({ width: naturalWidth, height: naturalHeight })
        }
        onError={explain}
      />
      <div className={classes(styles.marks, outlined && styles.outlined)} aria-hidden="true">
        {marks.map((mark) => (
          <Boxes key={mark.key} mark={mark} isPointed={mark.key === pointer.key} />
        ))}
      </div>
      {natural && width >= MIN_TEXT_WIDTH && (
        <TextLayer
          {...{ fileId, pageIndex, parseJobId }}
          isPointed={pointer.hasEntered}
          hasTextTwin={props.hasTextTwin ?? false}
        />
      )}
      {chosen.length > 0 && (
        <figcaption className="visually-hidden">
          {t('Highlighted on this page:')}
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

/**
 * Finds the mark under the pointer from the positions of its boxes, because the text that can be selected covers the
 * boxes. Returns the handlers of the picture.
 */
function usePointer({ marks = [], onChoose, onPoint }: PagePictureProps) {
  const [key, setKey] = useState<string>();
  const [hasEntered, setEntered] = useState(false);
  const press = useRef({ x: 0, y: 0 });
  const point = (next: string | undefined) => {
    if (next === key) return;
    setKey(next);
    onPoint?.(next);
  };
  const isUsed = onChoose !== undefined || onPoint !== undefined;
  const handlers = {
    onPointerEnter: () => setEntered(true),
    ...(isUsed && {
      onMouseMove: (event: MouseEvent<HTMLElement>) => point(findMark(marks, event)?.key),
      onMouseLeave: () => point(undefined),
      onMouseDown: ({ clientX: x, clientY: y }: MouseEvent) => {
        press.current = { x, y };
      },
      onClick: (event: MouseEvent<HTMLElement>) => {
        const { x, y } = press.current;
        if (Math.hypot(event.clientX - x, event.clientY - y) > MAX_CLICK_PX) return;
        const found = findMark(marks, event);
        if (found) onChoose?.(found.key);
      },
    }),
  };
  return { key, hasEntered, handlers };
}

/** Returns the uppermost mark at the position of a mouse event. */
function findMark(marks: readonly Mark[], { currentTarget, clientX, clientY }: MouseEvent<HTMLElement>) {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  return marks.findLast(({ boxes, page }) => {
    const x = ((clientX - left) / width) * page.width;
    const y = ((clientY - top) / height) * page.height;
    return boxes.some((box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h);
  });
}

/** Box positions are percentages of the page size, so they fit every image size. */
function Boxes({ mark, isPointed }: { mark: Mark; isPointed: boolean }) {
  const { key, boxes, page, chosen, sentences = [] } = mark;
  const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
  const draw = (box: Box, isSentence: boolean) => (
    <span
      key={`${isSentence} ${box.x} ${box.y} ${box.w} ${box.h}`}
      className={classes(styles.box, sentences.length > 0 && !isSentence && styles.around)}
      data-box={isSentence ? 'sentence' : 'passage'}
      style={{
        left: share(box.x, page.width),
        top: share(box.y, page.height),
        width: share(box.w, page.width),
        height: share(box.h, page.height),
      }}
    />
  );
  return (
    <div
      className={classes(styles.mark, chosen && styles.chosen, isPointed && styles.pointed)}
      data-mark={key}
    >
      {boxes.map((box) => draw(box, false))}
      {sentences.map((box) => draw(box, true))}
    </div>
  );
}

/** Adds the boxes of sentences to the marks of their passage. */
export const emphasizeSentences = (marks: readonly Mark[], sentences: readonly Box[]): Mark[] =>
  marks.map((mark) => ({ ...mark, sentences }));

interface Citation {
  page: number;
  matching_text: string;
  bounding_boxes?: readonly Box[] | null | undefined;
  page_dimensions?: Size | null | undefined;
}

/**
 * Returns the marks of a citation on a page with the zero-based index `pageIndex`. Returns an empty list if
 * the citation has no box on that page.
 */
export function buildMarks(
  key: string,
  citations: readonly Citation[],
  pageIndex: number,
  chosen = true,
): Mark[] {
  const here = citations.find(({ page }) => page === pageIndex + 1);
  if (!here?.bounding_boxes?.length || !here.page_dimensions) return [];
  return [{ key, text: here.matching_text, boxes: here.bounding_boxes, page: here.page_dimensions, chosen }];
}
