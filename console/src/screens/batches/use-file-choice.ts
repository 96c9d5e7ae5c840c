import { useMemo, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { type Choice, useChoice } from '../../ui/use-choice.ts';
import { getRowKey } from '../files/columns.tsx';
import { type ProjectFile, useFileRows } from '../files/use-file-rows.ts';

const MAX_FILES = 1_000;

export interface FileChoice {
  search: string;
  setSearch: (search: string) => void;
  rows: ReturnType<typeof useFileRows>;
  choice: Choice<ProjectFile>;
  /** Id of one of the selected files. `undefined` if none is selected. */
  exampleId: string | undefined;
  /** Why a batch cannot have the selected files. `undefined` if it can. */
  problem: Error | undefined;
  /** Returns the ids of the selected files. Rejects if they are not exactly the files that are shown. */
  readIds: () => Promise<string[]>;
}

/** Files of the project that are selected for a batch, either one by one or as all files that match a search. */
export function useFileChoice(): FileChoice {
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
  const first = choice.isAll ? rows.rowAt(0) : choice.rows.values().next().value;
  const problem =
    choice.count > MAX_FILES
      ? new Error(
          t('{count, plural, one {# file} other {# files}} match. A batch has at most 1,000 files.', {
            count: choice.count,
          }),
        )
      : undefined;
  const readIds = async () => {
    if (problem) throw problem;
    const files = choice.isAll ? await rows.rowsBetween(0, total - 1) : [...choice.rows.values()];
    if (files.length !== choice.count) {
      throw new Error(
        t('The list of files has changed. Check the selected files, and start the batch again.'),
      );
    }
    return files.map(getFileId);
  };
  return { search, setSearch, rows, choice, exampleId: first && getFileId(first), problem, readIds };
}

/** Ids in the list of files have a prefix that other operations do not expect. */
const getFileId = ({ id }: ProjectFile) => id.replace(/^dfl-/, '');
