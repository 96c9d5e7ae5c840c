import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { buildRequest, call } from '../../api/client.ts';
import { deleteItem } from '../../api/deletions.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { countShownPages } from '../../api/pages.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { bytes, moment } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { PageViewer } from '../../ui/page-viewer.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { FILE_LISTINGS } from '../../uploads/targets.ts';
import { AddToIndex } from './add-to-index.tsx';
import { FileLabels } from './file-labels.tsx';
import { PageContent } from './page-content.tsx';
import styles from './viewer.module.css';

/** Jobs that can be started with the file. */
const getJobs = () =>
  [
    { path: '/parse', label: t('Parse'), icon: 'parse' },
    { path: '/extract', label: t('Extract'), icon: 'extract' },
    { path: '/classify', label: t('Classify'), icon: 'classify' },
  ] as const;

/** Page of one file, with images of its pages beside the text that was read from them. */
export default function Viewer() {
  const { id = '' } = useParams();
  return <FileViewer key={id} id={id} />;
}

function FileViewer({ id }: { id: string }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [isDeleting, setDeleting] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const bareId = id.replace(/^dfl-/, '');
  const input = { params: { id }, query: { expand: ['folder' as const, 'tags' as const] } };
  const file = useApiQuery('GET /api/v1/beta/files/{id}', input);
  const pages = useApiQuery('GET /api/v1/files/{id}/pages', { params: { id }, query: { limit: 1 } });
  const client = useQueryClient();
  const count = pages.data ? countShownPages(pages.data) : 0;
  const page = Math.min(Math.max(1, Number(search.get('page')) || 1), Math.max(1, count)) - 1;
  const toPage = (index: number) => {
    if (index < 0 || index >= count) return;
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        next.set('page', String(index + 1));
        return next;
      },
      { replace: true },
    );
  };
  useShortcuts({ '[': () => toPage(page - 1), ']': () => toPage(page + 1) });
  const name = file.data?.name ?? t('File');
  const calls = [
    {
      what: t('Get the file'),
      ...buildRequest('GET /api/v1/beta/files/{id}', input),
    },
    {
      what: t('Get a page'),
      ...buildRequest('GET /api/v1/files/{id}/pages/{page_index}', {
        params: { id, page_index: page },
        query: { expand: ['markdown'] },
      }),
    },
  ];
  return (
    <Page
      title={name}
      breadcrumbs={[{ to: pathTo('/files'), label: t('Files') }]}
      full
      calls={calls}
      lead={
        file.data &&
        [
          file.data.file_type?.toUpperCase(),
          bytes(file.data.file_size),
          count > 0 && t('{count, plural, one {# page} other {# pages}}', { count }),
          t('added {time}', { time: moment(file.data.created_at) }),
        ]
          .filter(Boolean)
          .join(' · ')
      }
      actions={
        file.data && (
          <>
            <Button writes icon="plus" onClick={() => setAdding(true)}>
              {t('Add to index')}
            </Button>
            {getJobs().map(({ path, label, icon }) => (
              <ButtonLink key={path} icon={icon} to={pathTo(path, { file: bareId })}>
                {label}
              </ButtonLink>
            ))}
            <Button icon="download" onClick={() => download(id, name)}>
              {t('Download')}
            </Button>
            <Button icon="trash" look="danger" onClick={() => setDeleting(true)}>
              {t('Delete')}
            </Button>
          </>
        )
      }
    >
      <Loaded read={file} what={t('The file could not be read')}>
        {({ folder = '', tags = [] }) => (
          <>
            <FileLabels fileId={id} folder={folder} tags={tags} onChanged={() => void file.refetch()} />
            <Loaded read={pages} what={t('The pages could not be read')}>
              {({ page_count }) =>
                count > 0 ? (
                  <div className={styles.sides}>
                    <PageViewer fileId={id} name={name} pageCount={count} page={page} toPage={toPage} />
                    <PageContent fileId={id} page={page} />
                  </div>
                ) : page_count > 0 ? (
                  <PageContent fileId={id} page={0} first="tables" />
                ) : (
                  <Empty icon="file" title={t('This file has no pages')}>
                    {t('The format of the file is not supported.')}
                  </Empty>
                )
              }
            </Loaded>
          </>
        )}
      </Loaded>
      {isAdding && <AddToIndex count={1} getFileIds={async () => [id]} onClose={() => setAdding(false)} />}
      {isDeleting && (
        <Confirm
          title={t('Delete {name}?', { name })}
          action={t('Delete')}
          onConfirm={async () => {
            await deleteItem(client, {
              id,
              remove: () => call('DELETE /api/v1/beta/files/{id}', { params: { id } }),
              leave: () => navigate(pathTo('/files')),
            });
            await Promise.all(FILE_LISTINGS.map((each) => client.invalidateQueries({ queryKey: [each] })));
          }}
          onClose={() => setDeleting(false)}
        >
          {t('The file, its pages and its content in indexes are deleted.')}
        </Confirm>
      )}
    </Page>
  );
}

/** Downloads the file through a signed URL that expires. */
async function download(id: string, name: string): Promise<void> {
  const { url } = await call('GET /api/v1/beta/files/{id}/content', { params: { id } });
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
