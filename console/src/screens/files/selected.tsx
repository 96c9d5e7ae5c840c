import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import type { Choice } from '../../ui/use-choice.ts';
import { AddToIndex } from './add-to-index.tsx';
import styles from './files.module.css';
import type { ProjectFile } from './use-file-rows.ts';

/** Minimum number of files for which the user has to type the number to confirm a deletion. */
const CONFIRM_COUNT = 100;
const MAX_CONCURRENT = 4;

interface SelectedProps {
  choice: Choice<ProjectFile>;
  total: number;
  rowsBetween: (from: number, to: number) => Promise<ProjectFile[]>;
}

/** Shows buttons for the selected files, such as a button to delete them. */
export function Selected({ choice, total, rowsBetween }: SelectedProps) {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const [done, setDone] = useState(0);
  if (choice.count === 0) return null;
  const number = t('{count, plural, one {# file} other {# files}}', { count: choice.count });
  const readRows = async () => (choice.isAll ? rowsBetween(0, total - 1) : [...choice.rows.values()]);
  const deleteThem = async () => {
    setDone(0);
    const rows = await readRows();
    const remaining = [...rows];
    const deleteSome = async () => {
      for (let next = remaining.pop(); next; next = remaining.pop()) {
        await call('DELETE /api/v1/beta/files/{id}', { params: { id: next.id } }).catch(ignoreNotFound);
        setDone((before) => before + 1);
      }
    };
    try {
      await Promise.all(Array.from({ length: MAX_CONCURRENT }, deleteSome));
      choice.clear();
      notify(t('{count, plural, one {# file} other {# files}} deleted.', { count: rows.length }));
    } finally {
      await client.invalidateQueries({ queryKey: ['GET /api/v1/beta/files'] });
    }
  };
  return (
    <div className={styles.selected}>
      <span role="status">
        {t(
          choice.isAll
            ? '{count, plural, one {# file that matches} other {All # files that match}} selected'
            : '{count, plural, one {# file} other {# files}} selected',
          { count: choice.count },
        )}
      </span>
      <Button writes small icon="plus" onClick={() => setAdding(true)}>
        {t('Add to index')}
      </Button>
      <Button small icon="trash" look="danger" onClick={() => setDeleting(true)}>
        {t('Delete')}
      </Button>
      <Button small look="quiet" icon="close" onClick={choice.clear}>
        {t('Clear selection')}
      </Button>
      {isAdding && (
        <AddToIndex
          count={choice.count}
          getFileIds={async () => (await readRows()).map(({ id }) => id)}
          onClose={() => setAdding(false)}
        />
      )}
      {isDeleting && (
        <Confirm
          title={t('Delete {number}?', { number })}
          action={t('Delete {number}', { number })}
          {...(choice.count >= CONFIRM_COUNT && { typed: String(choice.count) })}
          onConfirm={deleteThem}
          onClose={() => setDeleting(false)}
        >
          {t('The files, their pages and their content in indexes are deleted.')}
          {done > 0 &&
            ` ${t('{count, plural, one {# file} other {# files}} deleted so far.', { count: done })}`}
        </Confirm>
      )}
    </div>
  );
}

/** Ignores a 404 error of a deletion, because another user may have deleted the file in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
