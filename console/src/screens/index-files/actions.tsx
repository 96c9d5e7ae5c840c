import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
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

/** The most files that one call takes. */
const AT_ONCE = 1000;

/** What can be done with the chosen files; with none chosen, with those that failed. */
export function Actions({ indexId, choice, filter, total, failed }: ActionsProps) {
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const [isRetrying, setRetrying] = useState(false);
  const [error, setError] = useState<unknown>();
  const params = { pipeline_id: indexId };
  const readAgain = () =>
    Promise.all(CHANGED_BY_FILES.map((each) => client.invalidateQueries({ queryKey: [each] })));

  const retry = async (bodies: Selection[]) => {
    setRetrying(true);
    setError(undefined);
    try {
      let retried = 0;
      for (const body of bodies) {
        retried += (await call('POST /api/v1/pipelines/{pipeline_id}/files/retry', { params, body })).retried;
      }
      announce(`${plural(retried, 'file')} tried again.`);
      choice.clear();
      await readAgain();
    } catch (failure) {
      setError(failure);
    } finally {
      setRetrying(false);
    }
  };
  const remove = async () => {
    let removed = 0;
    for (const body of selectionsOf(choice, filter)) {
      for (let remaining = 1; remaining > 0; ) {
        const answer = await call('POST /api/v1/pipelines/{pipeline_id}/files/remove', { params, body });
        removed += answer.removed;
        remaining = answer.remaining;
      }
    }
    announce(`${plural(removed, 'file')} removed.`);
    choice.clear();
    await readAgain();
  };
  const number = plural(choice.count, 'file');
  const failure = error !== undefined && <Failure error={error} what="The files could not be tried again" />;
  if (choice.count === 0) {
    if (failed === 0) return failure;
    return (
      <div className={styles.actions}>
        <span>{plural(failed, 'file')} failed.</span>
        <Button
          small
          icon="retry"
          busy={isRetrying}
          onClick={() => retry([{ filter: { ...filter, statuses: ['ERROR'] } }])}
        >
          {isNarrowed(filter) ? 'Try those shown again' : 'Try all failed again'}
        </Button>
        {failure}
      </div>
    );
  }
  return (
    <div className={styles.actions}>
      <span role="status">{choice.isAll ? `All ${number} that match` : number} selected</span>
      {!choice.isAll && choice.count < total && (
        <Button small look="quiet" onClick={choice.chooseAll}>
          Select all {total.toLocaleString('en')} that match
        </Button>
      )}
      <Button small icon="retry" busy={isRetrying} onClick={() => retry(selectionsOf(choice, filter))}>
        Try again
      </Button>
      <Button small icon="trash" look="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <Button small look="quiet" icon="close" onClick={choice.clear}>
        Clear
      </Button>
      {failure}
      {isRemoving && (
        <Confirm
          title={`Remove ${number} from the index?`}
          action={`Remove ${number}`}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          They are not found any more. The files themselves stay in the project.
        </Confirm>
      )}
    </div>
  );
}

interface Selection {
  file_ids?: string[];
  filter?: FileFilter;
}

/** As the service takes them: all that match by their filter, which names every state when nothing narrows it. */
function selectionsOf(choice: Choice<IndexFile>, filter: FileFilter): Selection[] {
  if (choice.isAll) return [{ filter: isNarrowed(filter) ? filter : { statuses: [...STATES] } }];
  const ids = [...choice.rows.keys()];
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, at) => ({
    file_ids: ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  }));
}
