import { useState } from 'react';
import { buildUrl } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TableView } from './table-view.tsx';
import styles from './viewer.module.css';

const getTabs = () =>
  [
    { key: 'text', label: t('Text') },
    { key: 'markdown', label: t('Markdown') },
    { key: 'tables', label: t('Tables') },
    { key: 'figures', label: t('Figures') },
  ] as const;

/** Shows the text and figures that the parser extracted from a page. */
export function PageContent({
  fileId,
  page,
  first = 'text',
}: {
  fileId: string;
  page: number;
  /** Tab that is open at first. */
  first?: ReturnType<typeof getTabs>[number]['key'];
}) {
  const [tab, setTab] = useState<ReturnType<typeof getTabs>[number]['key']>(first);
  return (
    <section className={styles.content} aria-label={t('Page content')}>
      <Tabs label={t('Format')} tabs={getTabs()} chosen={tab} onChoose={setTab}>
        {tab === 'figures' ? (
          <Figures fileId={fileId} page={page} />
        ) : tab === 'tables' ? (
          <Tables fileId={fileId} page={page} />
        ) : (
          <PageText fileId={fileId} page={page} form={tab} />
        )}
      </Tabs>
    </section>
  );
}

function PageText({ fileId, page, form }: { fileId: string; page: number; form: 'text' | 'markdown' }) {
  const read = useApiQuery('GET /api/v1/files/{id}/pages/{page_index}', {
    params: { id: fileId, page_index: page },
    query: { expand: ['text', 'markdown'] },
  });
  return (
    <Loaded read={read} what={t('The page could not be read')}>
      {({ needs_ocr, ...content }) => {
        const pageText = content[form] ?? '';
        if (pageText.trim() === '') {
          return (
            <Empty icon="file" title={t('No text on this page')}>
              {needs_ocr ? t('The page has content that needs OCR.') : t('The page is empty.')}
            </Empty>
          );
        }
        return (
          <>
            <div className={styles.tools}>
              {needs_ocr && <span>{t('Parts of this page need OCR.')}</span>}
              <CopyButton
                text={pageText}
                label={form === 'text' ? t('Copy the text of the page') : t('Copy the page as Markdown')}
              >
                {t('Copy')}
              </CopyButton>
            </div>
            <div
              className={form === 'markdown' ? styles.source : styles.pageText}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
              tabIndex={0}
              dir="auto"
            >
              {pageText}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function Figures({ fileId, page }: { fileId: string; page: number }) {
  const read = useApiQuery('GET /api/v1/files/{id}/page-figures/{page_index}', {
    params: { id: fileId, page_index: page },
  });
  return (
    <Loaded read={read} what={t('The figures could not be read')}>
      {(figures) =>
        figures.length === 0 ? (
          <Empty icon="file" title={t('No figures on this page')} />
        ) : (
          <ul className={styles.figures}>
            {figures.map(({ figure_name }) => (
              <li key={figure_name}>
                <figure>
                  <img
                    src={buildUrl({
                      path: '/api/v1/files/{id}/page-figures/{page_index}/{figure_name}',
                      params: { id: fileId, page_index: page, figure_name },
                    })}
                    alt={figure_name}
                    loading="lazy"
                  />
                  <figcaption>{figure_name}</figcaption>
                </figure>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Tables({ fileId, page }: { fileId: string; page: number }) {
  const read = useApiQuery('GET /api/v1/files/{id}/pages/{page_index}', {
    params: { id: fileId, page_index: page },
    query: { expand: ['blocks'] },
  });
  return (
    <Loaded read={read} what={t('The tables could not be read')}>
      {({ blocks }) => {
        const tables = (blocks ?? []).flatMap(({ rows }) => (rows?.length ? [rows] : []));
        if (tables.length === 0) return <Empty icon="file" title={t('No tables on this page')} />;
        return tables.map((rows, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tables have no other identity
          <TableView key={`${page} ${at}`} rows={rows} name={t('Table {number}', { number: at + 1 })} />
        ));
      }}
    </Loaded>
  );
}
