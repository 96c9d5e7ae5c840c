import { Link } from 'wouter';
import { buildUrl } from '../../api/client.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { PagePicture } from '../../ui/page-picture.tsx';
import styles from './results.module.css';
import type { Retrieval } from './use-retrieval.ts';

/**
 * Page images and figures that were found in addition to passages. They link to the file in the index, or without
 * `indexId` to the file in the project.
 */
export function Pictures({
  answer,
  indexId,
}: {
  answer: Pick<Retrieval, 'image_nodes' | 'page_figure_nodes'>;
  indexId?: string;
}) {
  const pathTo = useProjectPath();
  const pathToPage = (fileId: string, pageIndex: number) =>
    pathTo(indexId ? `/indexes/${indexId}/files/${fileId}` : `/files/${fileId}`, {
      page: String(pageIndex + 1),
    });
  const pages = answer.image_nodes ?? [];
  const figures = answer.page_figure_nodes ?? [];
  if (pages.length + figures.length === 0) return null;
  return (
    <section aria-label={t('Page images and figures')}>
      <ul className={styles.pictures}>
        {pages.map(({ node: { file_id, page_index } }) => (
          <li key={`${file_id} ${page_index}`}>
            <Link to={pathToPage(file_id, page_index)}>
              <PagePicture
                fileId={file_id}
                pageIndex={page_index}
                width={320}
                alt={t('Page {page}', { page: page_index + 1 })}
              />
              {t('Page {page}', { page: page_index + 1 })}
            </Link>
          </li>
        ))}
        {figures.map(({ node: { file_id, page_index, figure_name } }) => (
          <li key={`${file_id} ${page_index} ${figure_name}`}>
            <Link to={pathToPage(file_id, page_index)}>
              <img
                className={styles.formatScore}
                alt=""
                src={buildUrl({
                  path: '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}',
                  params: { id: file_id, page_index, figure_name },
                })}
              />
              {t('Figure on page {page}', { page: page_index + 1 })}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
