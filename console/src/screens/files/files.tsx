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
import { Selected } from './selected.tsx';
import { useFileRows, useListing, useProjectUploads } from './use-file-rows.ts';

const TYPES = ['pdf', 'docx', 'pptx', 'xlsx', 'html', 'md', 'txt', 'csv', 'json', 'png', 'jpg', 'eml'];
const getTypeChoices = () => [
  { value: '', label: t('All types') },
  ...TYPES.map((type) => ({ value: type, label: type.toUpperCase() })),
];
const getCalls = () => [{ what: t('List the files'), ...buildRequest('GET /api/v1/beta/files', {}) }];

/** Files of the project, including files that belong to no index. */
export default function Files() {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const { query, set, search, type, sort } = useListing();
  const uploads = useProjectUploads();
  const rows = useFileRows(query);
  const total = rows.total ?? 0;
  const choice = useChoice({ total, getRowKey, rowsBetween: rows.rowsBetween });
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => buildColumns((id) => pathTo(`/files/${id}`)), [pathTo, language]);
  const isNarrowed = Boolean(search || type);
  return (
    <Page
      title={t('Files')}
      lead={t('Files of the project. Indexes and parse, extract and classify jobs use them.')}
      calls={getCalls()}
      actions={<UploadButton queue={uploads.queue}>{t('Upload files')}</UploadButton>}
    >
      <Uploads {...uploads} />
      <div className={styles.bar}>
        <SearchField label={t('Search by name')} value={search} onSearch={(q) => set({ q })} />
        <Select
          label={t('Type')}
          hideLabel
          choices={getTypeChoices()}
          value={type}
          onChange={(event) => set({ type: event.target.value })}
        />
        {rows.total !== undefined && (
          <span className={styles.count}>
            {t('{count, plural, one {# file} other {# files}}', { count: total })}
          </span>
        )}
      </div>
      <Selected choice={choice} total={total} rowsBetween={rows.rowsBetween} />
      {rows.error && (
        <Failure
          error={rows.error}
          what={t('The files could not be read')}
          onRetry={() => void rows.refetch()}
        />
      )}
      {rows.total === undefined && !rows.error && <Skeleton rows={8} />}
      {rows.total === 0 &&
        (isNarrowed ? (
          <Empty
            icon="search"
            title={t('No file matches')}
            action={<ButtonLink to={pathTo('/files')}>{t('Show all files')}</ButtonLink>}
          />
        ) : (
          <Empty icon="file" title={t('No files yet')}>
            {t('Drop files or folders anywhere on this page to upload them to the project.')}
          </Empty>
        ))}
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
    </Page>
  );
}
