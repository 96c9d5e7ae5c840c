import { useMemo } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Select } from '../../ui/field.tsx';
import { Grid } from '../../ui/grid.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { buildColumns, getRowKey, getRowName } from '../files/columns.tsx';
import styles from './batches.module.css';
import type { FileChoice } from './use-file-choice.ts';

interface ChooseFilesProps {
  files: FileChoice;
  /** Id of the index whose files are processed. Empty if the selected files of the project are. */
  indexId: string;
  onIndex: (id: string) => void;
}

/** Selects files of the project by search, or an index with all of its files. */
export function ChooseFiles({ files, indexId, onIndex }: ChooseFilesProps) {
  const indexes = useApiQuery('GET /api/v1/pipelines', {});
  return (
    <div className={styles.files}>
      <Select
        label={t('Take files from')}
        value={indexId}
        choices={[
          { value: '', label: t('The project, as selected below') },
          ...(indexes.data ?? []).map(({ id, name }) => ({ value: id, label: t('Index: {name}', { name }) })),
        ]}
        onChange={({ target }) => onIndex(target.value)}
      />
      {indexId === '' && <ProjectFiles {...files} />}
    </div>
  );
}

function ProjectFiles({ search, setSearch, rows, choice, problem }: FileChoice) {
  const pathTo = useProjectPath();
  const total = rows.total ?? 0;
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => buildColumns((id) => pathTo(`/files/${id}`), true), [pathTo, language]);
  return (
    <>
      <div className={styles.bar}>
        <SearchField label={t('Search by name')} value={search} onSearch={setSearch} />
        <span role="status" className={styles.facts}>
          {t(
            '{count, plural, one {# file} other {# files}} selected of {total, plural, one {# file} other {# files}}',
            { count: choice.count, total },
          )}
        </span>
      </div>
      {problem && <Failure error={problem} what={t('The files could not be selected')} />}
      {rows.error && <Failure error={rows.error} what={t('The files could not be read')} />}
      {rows.total === undefined && !rows.error && <Skeleton rows={6} />}
      {total > 0 && (
        <Grid
          label={t('Files of the project, {total, plural, one {# file} other {# files}}', { total })}
          columns={columns}
          count={total}
          rowAt={rows.rowAt}
          getRowKey={getRowKey}
          getRowName={getRowName}
          onRange={rows.onRange}
          choice={choice}
          onOpen={choice.toggle}
        />
      )}
    </>
  );
}
