import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { count } from '../../ui/format.ts';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import type { Choice } from '../../ui/use-choice.ts';
import { CHANGED_BY_FILES } from '../../uploads/targets.ts';
import type { IndexFile } from './columns.tsx';
import styles from './files.module.css';
import { type FileFilter, isNarrowed, STATES } from './use-filters.ts';

interface ActionsProps {
  indexId: string;
  choice: Choice<IndexFile>;
  filter: FileFilter;
  total: number;
  failed: number;
}

/** Maximum number of files that one API call can change. */
const MAX_FILES_PER_CALL = 1000;

/**
 * Buttons for the selected files of an index. Without a selection, there is a button that retries all failed
 * files.
 */
export function Actions({ indexId, choice, filter, total, failed }: ActionsProps) {
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const [isRetrying, setRetrying] = useState(false);
  const [error, setError] = useState<unknown>();
  const params = { pipeline_id: indexId };
  const refresh = () =>
    Promise.all(CHANGED_BY_FILES.map((each) => client.invalidateQueries({ queryKey: [each] })));

  const retry = async (bodies: Selection[]) => {
    setRetrying(true);
    setError(undefined);
    try {
      let retried = 0;
      for (const body of bodies) {
        retried += (await call('POST /api/v1/pipelines/{pipeline_id}/files/retry', { params, body })).retried;
      }
      notify(t('{count, plural, one {# file} other {# files}} will be retried.', { count: retried }));
      choice.clear();
      await refresh();
    } catch (failure) {
      setError(failure);
    } finally {
      setRetrying(false);
    }
  };
  const remove = async () => {
    let removed = 0;
    for (const body of toSelections(choice, filter)) {
      for (let remaining = 1; remaining > 0; ) {
        const answer = await call('POST /api/v1/pipelines/{pipeline_id}/files/remove', { params, body });
        removed += answer.removed;
        remaining = answer.remaining;
      }
    }
    notify(t('{count, plural, one {# file} other {# files}} removed.', { count: removed }));
    choice.clear();
    await refresh();
  };
  const number = t('{count, plural, one {# file} other {# files}}', { count: choice.count });
  const failure = error !== undefined && <Failure error={error} what={t('The files could not be retried')} />;
  if (choice.count === 0) {
    if (failed === 0) return failure;
    return (
      <div className={styles.actions}>
        <span>{t('{count, plural, one {# file} other {# files}} failed.', { count: failed })}</span>
        <Button
          writes
          small
          icon="retry"
          busy={isRetrying}
          onClick={() => retry([{ filter: { ...filter, statuses: ['ERROR'] } }])}
        >
          {isNarrowed(filter) ? t('Retry shown files') : t('Retry all failed files')}
        </Button>
        {failure}
      </div>
    );
  }
  return (
    <div className={styles.actions}>
      <span role="status">
        {t(
          choice.isAll
            ? '{count, plural, one {# file that matches} other {All # files that match}} selected'
            : '{count, plural, one {# file} other {# files}} selected',
          { count: choice.count },
        )}
      </span>
      {!choice.isAll && choice.count < total && (
        <Button small look="quiet" onClick={choice.chooseAll}>
          {t('Select all {total} that match', { total: count(total) })}
        </Button>
      )}
      <Button writes small icon="retry" busy={isRetrying} onClick={() => retry(toSelections(choice, filter))}>
        {t('Retry')}
      </Button>
      <Button small icon="trash" look="danger" onClick={() => setRemoving(true)}>
        {t('Remove')}
      </Button>
      <Button small look="quiet" icon="close" onClick={choice.clear}>
        {t('Clear selection')}
      </Button>
      {failure}
      {isRemoving && (
        <Confirm
          title={t('Remove {number} from the index?', { number })}
          action={t('Remove {number}', { number })}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          {t('They can no longer be found in this index. The files stay in the project.')}
        </Confirm>
      )}
    </div>
  );
}

interface Selection {
  file_ids?: string[];
  filter?: FileFilter;
}

/**
 * Converts a selection of files into request bodies. If all files are selected without a filter, the request
 * filters by every state, because the API requires a filter.
 */
function toSelections(choice: Choice<IndexFile>, filter: FileFilter): Selection[] {
  if (choice.isAll) return [{ filter: isNarrowed(filter) ? filter : { statuses: [...STATES] } }];
  const ids = [...choice.rows.keys()];
  return Array.from({ length: Math.ceil(ids.length / MAX_FILES_PER_CALL) }, (_, at) => ({
    file_ids: ids.slice(at * MAX_FILES_PER_CALL, (at + 1) * MAX_FILES_PER_CALL),
  }));
}
