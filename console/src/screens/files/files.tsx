import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { useChoice } from '../../ui/use-choice.ts';
import { UploadButton, Uploads } from '../../uploads/uploads.tsx';
import { buildColumns, getRowKey, getRowName } from './columns.tsx';
import styles from './files.module.css';
import { FolderBar } from './folder-bar.tsx';
import { Selected } from './selected.tsx';
import { TagFilter } from './tag-filter.tsx';
import { useFileRows, useListing, useProjectUploads } from './use-file-rows.ts';
import { useFolders } from './use-labels.ts';

const TYPES = ['pdf', 'docx', 'pptx', 'xlsx', 'html', 'md', 'txt', 'csv', 'json', 'png', 'jpg', 'eml'];
const getTypeChoices = () => [
  { value: '', label: t('All types') },
  ...TYPES.map((type) => ({ value: type, label: type.toUpperCase() })),
];
const getCalls = () => [
  { what: t('List the files'), ...buildRequest('GET /api/v1/beta/files', {}) },
  { what: t('List the folders'), ...buildRequest('GET /api/v2/files/folders', {}) },
  {
    what: t('Move and tag a file'),
    ...buildRequest('PATCH /api/v2/files/{file_id}', {
      params: { file_id: 'FILE_ID' },
      body: { folder: 'reports/2026', add_tags: ['invoice'] },
    }),
  },
];

/** Files of the project by folder, including files that belong to no index. */
export default function Files() {
  const listing = useListing();
  const uploads = useProjectUploads();
  const { set, search, type, folder, tags } = listing;
  return (
    <Page
      title={t('Files')}
      lead={t('Files of the project. Indexes and parse, extract and classify jobs use them.')}
      calls={getCalls()}
      actions={
        <UploadButton queue={uploads.queue} folder={folder}>
          {t('Upload files')}
        </UploadButton>
      }
    >
      <Uploads {...uploads} folder={folder} />
      <FolderBar folder={folder} />
      <div className={styles.bar}>
        <SearchField label={t('Search by name')} value={search} onSearch={(q) => set({ q })} />
        <Select
          label={t('Type')}
          hideLabel
          choices={getTypeChoices()}
          value={type}
          onChange={(event) => set({ type: event.target.value })}
        />
        <TagFilter chosen={tags} onChange={(next) => set({ tags: next.join(',') })} />
      </div>
      {/* A selection does not outlast a change of the folder, because other rows are listed. */}
      <FileList key={folder} {...listing} />
    </Page>
  );
}

function FileList({ query, set, sort, folder, isNarrowed }: ReturnType<typeof useListing>) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const rows = useFileRows(query);
  const total = rows.total ?? 0;
  const choice = useChoice({ total, getRowKey, rowsBetween: rows.rowsBetween });
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(
    () => buildColumns((id) => pathTo(`/files/${id}`), isNarrowed),
    [pathTo, isNarrowed, language],
  );
  return (
    <>
      {total > 0 && (
        <p className={styles.count}>{t('{count, plural, one {# file} other {# files}}', { count: total })}</p>
      )}
      <Selected folder={folder} choice={choice} total={total} rowsBetween={rows.rowsBetween} />
      {rows.error && (
        <Failure
          error={rows.error}
          what={t('The files could not be read')}
          onRetry={() => void rows.refetch()}
        />
      )}
      {rows.total === undefined && !rows.error && <Skeleton rows={8} />}
      {rows.total === 0 && <NoFiles isNarrowed={isNarrowed} folder={folder} />}
      {total > 0 && (
        <Grid
          name="files"
          label={t('Files of the project, {total, plural, one {# file} other {# files}}', { total })}
          columns={columns}
          count={total}
          rowAt={rows.rowAt}
          getRowKey={getRowKey}
          getRowName={getRowName}
          onRange={rows.onRange}
          sort={sort}
          onSort={(next) => set({ sort: next })}
          choice={choice}
          onOpen={({ id }) => navigate(pathTo(`/files/${id}`))}
        />
      )}
    </>
  );
}

function NoFiles({ isNarrowed, folder }: { isNarrowed: boolean; folder: string }) {
  const pathTo = useProjectPath();
  const { items: folders } = useFolders(folder);
  if (!isNarrowed && !folder && folders.length > 0) {
    return <Empty icon="project" title={t('No files directly in this folder')} />;
  }
  if (isNarrowed || folder) {
    return (
      <Empty
        icon={isNarrowed ? 'search' : 'project'}
        title={isNarrowed ? t('No file matches') : t('No files directly in this folder')}
        action={<ButtonLink to={pathTo('/files')}>{t('Show all files')}</ButtonLink>}
      />
    );
  }
  return (
    <Empty icon="file" title={t('No files yet')}>
      {t('Drop files or folders anywhere on this page to upload them to the project.')}
    </Empty>
  );
}
