import { useMemo, useState } from 'react';
import { useApiQuery } from '../../api/hooks.ts';
import { useLanguage } from '../../i18n/language.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Select } from '../../ui/field.tsx';
import { Grid } from '../../ui/grid.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { type Choice, useChoice } from '../../ui/use-choice.ts';
import { buildColumns, getRowKey, getRowName } from '../files/columns.tsx';
import { type ProjectFile, useFileRows } from '../files/use-file-rows.ts';
import styles from './batches.module.css';

const MAX_FILES = 1_000;

/** Files of a batch: either named files, or all files of an index. */
export interface ChosenFiles {
  file_ids?: string[];
  pipeline_id?: string;
}

interface ChooseFilesProps {
  chosen: ChosenFiles;
  onChoose: (chosen: ChosenFiles) => void;
}

/** Selects files of the project by search, or an index with all of its files. */
export function ChooseFiles({ chosen, onChoose }: ChooseFilesProps) {
  const indexes = useApiQuery('GET /api/v1/pipelines', {});
  return (
    <div className={styles.files}>
      <Select
        label={t('Take files from')}
        value={chosen.pipeline_id ?? ''}
        choices={[
          { value: '', label: t('The project, as selected below') },
          ...(indexes.data ?? []).map(({ id, name }) => ({ value: id, label: t('Index: {name}', { name }) })),
        ]}
        onChange={({ target }) => onChoose(target.value ? { pipeline_id: target.value } : { file_ids: [] })}
      />
      {chosen.pipeline_id === undefined && <ProjectFiles onChoose={onChoose} />}
    </div>
  );
}

function ProjectFiles({ onChoose }: Pick<ChooseFilesProps, 'onChoose'>) {
  const pathTo = useProjectPath();
  const [search, setSearch] = useState('');
  const query = useMemo(
    () => ({
      order_by: 'created_at desc',
      expand: ['folder', 'tags'],
      ...(search && { name_contains: search }),
    }),
    [search],
  );
  const rows = useFileRows(query);
  const total = rows.total ?? 0;
  const choice = useChoice({ total, getRowKey, rowsBetween: rows.rowsBetween });
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels follow the language
  const columns = useMemo(() => buildColumns((id) => pathTo(`/files/${id}`), true), [pathTo, language]);
  const [error, setError] = useState<unknown>();
  const report = (files: Iterable<ProjectFile>) =>
    onChoose({ file_ids: [...files].map(({ id }) => id.replace(/^dfl-/, '')) });
  // The form receives every change of the selection, with the ids of the files.
  const reporting: Choice<ProjectFile> = {
    ...choice,
    toggle(row) {
      const next = new Map(choice.isAll ? [] : choice.rows);
      if (!next.delete(getRowKey(row))) next.set(getRowKey(row), row);
      choice.toggle(row);
      report(next.values());
    },
    async chooseRange(from, to) {
      const between = await rows.rowsBetween(Math.min(from, to), Math.max(from, to));
      await choice.chooseRange(from, to);
      report(new Map([...choice.rows.values(), ...between].map((row) => [getRowKey(row), row])).values());
    },
    chooseAll() {
      setError(undefined);
      if (total > MAX_FILES) {
        setError(
          new Error(
            t('{total, plural, one {# file} other {# files}} match. A batch has at most 1,000 files.', {
              total,
            }),
          ),
        );
        return;
      }
      choice.chooseAll();
      rows.rowsBetween(0, total - 1).then(report, setError);
    },
    clear() {
      choice.clear();
      report([]);
    },
  };
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
      {error !== undefined && <Failure error={error} what={t('The files could not be selected')} />}
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
          choice={reporting}
          onOpen={reporting.toggle}
        />
      )}
    </>
  );
}
