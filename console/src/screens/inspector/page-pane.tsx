import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { buildMarks } from '../../ui/page-picture.tsx';
import { PageViewer } from '../../ui/page-viewer.tsx';
import type { Chunk } from './use-chunks.ts';

interface PagePaneProps {
  indexId: string;
  fileId: string;
  name: string;
  pageCount: number;
  /** Zero-based index of the page that is shown. */
  page: number;
  chosen: Chunk | undefined;
  toPage: (index: number) => void;
  onChoose: (key: string) => void;
}

/** Page with its chunks highlighted: the selected chunk always, the others on hover. */
export function PagePane({ indexId, chosen, page, toPage, ...viewer }: PagePaneProps) {
  const { data: here = [] } = useApiQuery('GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/chunks', {
    params: { pipeline_id: indexId, file_id: viewer.fileId },
    query: { page_index: page, expand: ['citations'], limit: 100 },
  });
  const marks = here.flatMap(({ id_, citations }) =>
    buildMarks(id_ ?? '', citations ?? [], page, id_ === chosen?.id_),
  );
  const pages = chosen?.page_indexes ?? [];
  const others = pages.filter((index) => index !== page);
  return (
    <PageViewer {...viewer} {...{ page, toPage, marks }} marked={pages}>
      {others.slice(0, 3).map((index) => (
        <Button key={index} small look="quiet" onClick={() => toPage(index)}>
          {t('Also on page {page}', { page: index + 1 })}
        </Button>
      ))}
    </PageViewer>
  );
}
