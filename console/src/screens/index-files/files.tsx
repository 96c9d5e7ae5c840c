import { useMemo } from 'react';
import { useLocation, useParams } from 'wouter';
import { buildRequest, call } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { useChoice } from '../../ui/use-choice.ts';
import { usePagedRows } from '../../ui/use-paged-rows.ts';
import { UploadButton, Uploads } from '../../uploads/uploads.tsx';
import { IndexPage } from '../index/index-page.tsx';
import { useIndexStatus } from '../index/use-status.ts';
import { Actions } from './actions.tsx';
import { buildColumns, getRowKey, getRowName, type IndexFile } from './columns.tsx';
import { FileDialog } from './file-dialog.tsx';
import { Filters } from './filters.tsx';
import { isNarrowed, useFilters } from './use-filters.ts';
import { useIndexUploads } from './use-index-uploads.ts';

/** Files of an index with their states and errors. */
export default function IndexFiles() {
  const { id = '' } = useParams();
  const params = { pipeline_id: id };
  const calls = [
    {
      what: t('List the files of the index'),
      ...buildRequest('GET /api/v1/pipelines/{pipeline_id}/files2', { params, query: { limit: 100 } }),
    },
    { what: t('Upload a file'), method: 'POST', path: '/api/v1/files', body: new FormData() },
    {
      what: t('Add files to the index and start indexing'),
      ...buildRequest('PUT /api/v1/pipelines/{pipeline_id}/files', {
        params,
        body: [{ file_id: '<id of the file>' }],
      }),
    },
    {
      what: t('Retry all failed files'),
      ...buildRequest('POST /api/v1/pipelines/{pipeline_id}/files/retry', {
        params,
        body: { filter: { statuses: ['ERROR'] } },
      }),
    },
  ];
  return (
    <IndexPage part="/files" calls={calls}>
      {(index) => <Files key={index.id} index={index} />}
    </IndexPage>
  );
}

function Files({ index: { id } }: { index: Pipeline }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const { params, set, filter, sort } = useFilters();
  const uploads = useIndexUploads(id);
  const isRunning = useIndexStatus(id).data?.status === 'IN_PROGRESS';
  const refetchInterval = isRunning ? 1500 : 10_000;
  const pages = usePagedRows<IndexFile>({
    queryKey: ['GET /api/v1/pipelines/{pipeline_id}/files2', id, filter, sort],
    refetchInterval,
    async read(offset, limit, signal) {
      const query = { ...filter, order_by: sort, limit, offset };
      const input = { params: { pipeline_id: id }, query };
      const page = await call('GET /api/v1/pipelines/{pipeline_id}/files2', input, signal);
      return { rows: page.files, total: page.total_count };
    },
  });
  const { file_name_contains, reason } = filter;
  const counts = useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}/files/status-counts',
    { params: { pipeline_id: id }, query: { file_name_contains, reason } },
    { refetchInterval },
  );
  const total = pages.total ?? 0;
  const choice = useChoice({ total, getRowKey, rowsBetween: pages.rowsBetween });
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(
    () => buildColumns((fileId) => pathTo(`/indexes/${id}/files/${fileId}`)),
    [pathTo, id, language],
  );
  const open = (row: IndexFile) =>
    row.status === 'SUCCESS'
      ? navigate(pathTo(`/indexes/${id}/files/${row.file_id}`))
      : set({ file: row.file_id });
  const shown = params.get('file');
  return (
    <>
      <Uploads {...uploads} />
      <Filters counts={counts.data} total={pages.total}>
        <UploadButton queue={uploads.queue}>{t('Upload files')}</UploadButton>
      </Filters>
      <Actions
        indexId={id}
        choice={choice}
        filter={filter}
        total={total}
        failed={counts.data?.counts.ERROR ?? 0}
      />
      {pages.error && (
        <Failure
          error={pages.error}
          what={t('The files could not be read')}
          onRetry={() => void pages.refetch()}
        />
      )}
      {pages.total === undefined && !pages.error && <Skeleton rows={8} />}
      {pages.total === 0 && <NoFiles isNarrowed={isNarrowed(filter)} />}
      {total > 0 && (
        <Grid
          name="index-files"
          label={t('Files of the index, {total, plural, one {# file} other {# files}}', { total })}
          columns={columns}
          count={total}
          rowAt={pages.rowAt}
          getRowKey={getRowKey}
          getRowName={getRowName}
          onRange={pages.onRange}
          sort={sort}
          onSort={(next) => set({ sort: next })}
          choice={choice}
          onOpen={open}
        />
      )}
      {shown && <FileDialog indexId={id} fileId={shown} onClose={() => set({ file: undefined })} />}
    </>
  );
}

function NoFiles({ isNarrowed }: { isNarrowed: boolean }) {
  const [location] = useLocation();
  const pathTo = useProjectPath();
  return isNarrowed ? (
    <Empty
      icon="search"
      title={t('No file matches')}
      action={<ButtonLink to={pathTo(location)}>{t('Show all files')}</ButtonLink>}
    >
      {t('No file matches this name and state.')}
    </Empty>
  ) : (
    <Empty icon="file" title={t('No files yet')}>
      {t('Drop files or folders anywhere on this page to upload and index them.')}
    </Empty>
  );
}
