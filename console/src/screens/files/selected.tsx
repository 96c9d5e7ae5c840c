import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import type { Choice } from '../../ui/use-choice.ts';
import { FILE_LISTINGS } from '../../uploads/targets.ts';
import { AddToIndex } from './add-to-index.tsx';
import { MoveFiles, TagFiles } from './change-dialog.tsx';
import styles from './files.module.css';
import type { ProjectFile } from './use-file-rows.ts';
import { useTags } from './use-labels.ts';

/** Minimum number of files for which the user has to type the number to confirm a deletion. */
const CONFIRM_COUNT = 100;
const MAX_CONCURRENT = 4;

interface SelectedProps {
  /** Folder that is open. Moved files leave it. */
  folder: string;
  choice: Choice<ProjectFile>;
  total: number;
  rowsBetween: (from: number, to: number) => Promise<ProjectFile[]>;
}

/** Shows buttons for the selected files, such as a button to delete them. */
export function Selected({ folder, choice, total, rowsBetween }: SelectedProps) {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [dialog, setDialog] = useState<'add' | 'move' | 'tag'>();
  const projectTags = useTags();
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
      await Promise.all(FILE_LISTINGS.map((each) => client.invalidateQueries({ queryKey: [each] })));
    }
  };
  const getFileIds = async () => (await readRows()).map(({ id }) => id);
  const common = {
    count: choice.count,
    getFileIds,
    onClose: () => setDialog(undefined),
    onDone: choice.clear,
  };
  const knownTags = choice.isAll
    ? projectTags.items.map(({ tag }) => tag)
    : [...new Set([...choice.rows.values()].flatMap(({ tags = [] }) => tags))].toSorted();
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
      <Button writes small icon="plus" onClick={() => setDialog('add')}>
        {t('Add to index')}
      </Button>
      <Button writes small icon="project" onClick={() => setDialog('move')}>
        {t('Move')}
      </Button>
      <Button writes small icon="classify" onClick={() => setDialog('tag')}>
        {t('Tags')}
      </Button>
      <Button writes small icon="trash" look="danger" onClick={() => setDeleting(true)}>
        {t('Delete')}
      </Button>
      <Button small look="quiet" icon="close" onClick={choice.clear}>
        {t('Clear selection')}
      </Button>
      {dialog === 'add' && <AddToIndex {...common} />}
      {dialog === 'move' && <MoveFiles {...common} folder={folder} />}
      {dialog === 'tag' && <TagFiles {...common} known={knownTags} />}
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
