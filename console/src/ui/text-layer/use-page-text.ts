import { useMemo } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import type { PageWord } from './text-runs.ts';

/** Page whose text is read: of a file, or of a parse job if its id is given. */
export interface PageSource {
  fileId: string;
  /** Zero-based index of the page in the file. */
  pageIndex: number;
  parseJobId?: string | undefined;
}

/** Words of a page in reading order, and the size of the page in points. */
export interface PageText {
  words: readonly PageWord[];
  width: number;
  height: number;
}

/** First interval in which it is checked whether a page has been parsed meanwhile. It doubles up to a minute. */
const FIRST_CHECK_MS = 1_000;
const LAST_CHECK_MS = 60_000;

/** The words of a page can take megabytes, so they are not kept for long after the page was left. */
const OPTIONS = { staleTime: Number.POSITIVE_INFINITY, gcTime: 30_000 };

/**
 * Returns the words of a page once the page is visible, or `undefined`. A page that was never parsed is only parsed
 * when the pointer is on it, because that may take as long as OCR.
 */
export function usePageText(
  { fileId, pageIndex, parseJobId }: PageSource,
  { isVisible, isPointed }: { isVisible: boolean; isPointed: boolean },
): PageText | undefined {
  const isFile = isVisible && parseJobId === undefined;
  const pages = useApiQuery(
    'GET /api/v1/files/{id}/pages',
    { params: { id: fileId }, query: { offset: pageIndex, limit: 1 } },
    {
      ...OPTIONS,
      enabled: isFile,
      refetchInterval: ({ state: { data, dataUpdateCount } }) =>
        data?.pages[0]?.state === 'not_parsed' &&
        Math.min(LAST_CHECK_MS, FIRST_CHECK_MS * 2 ** dataUpdateCount),
    },
  );
  const isParsed = pages.data?.pages[0]?.state === 'parsed';
  const ofFile = useApiQuery(
    'GET /api/v1/files/{id}/pages/{page_index}',
    { params: { id: fileId, page_index: pageIndex }, query: { expand: ['words'] } },
    { ...OPTIONS, enabled: isFile && pages.isSuccess && (isParsed || isPointed) },
  );
  const ofJob = useApiQuery(
    'GET /api/v2/parse/{job_id}/pages/{page_number}',
    { params: { job_id: parseJobId ?? '', page_number: pageIndex + 1 }, query: { expand: ['words'] } },
    { ...OPTIONS, enabled: isVisible && parseJobId !== undefined },
  );
  const { words, width, height } = (parseJobId === undefined ? ofFile : ofJob).data ?? {};
  return useMemo(
    () => (words?.length && width && height ? { words, width, height } : undefined),
    [words, width, height],
  );
}
