import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { needsPassword } from '../../forms/needs-password.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { CHANGED_BY_FILES } from '../../uploads/targets.ts';
import styles from './files.module.css';
import { IndexPassword } from './index-password.tsx';

const STEPS: Record<string, string> = {
  parse: 'Reading the file',
  chunk: 'Splitting it into chunks',
  embed: 'Embedding its chunks',
  write: 'Writing to the index',
};

/** State of one file in the index, with the full error message and actions. */
export function FileDialog({
  indexId,
  fileId,
  onClose,
}: {
  indexId: string;
  fileId: string;
  onClose: () => void;
}) {
  const pathTo = useProjectPath();
  const params = { pipeline_id: indexId, file_id: fileId };
  const [isRemoving, setRemoving] = useState(false);
  const status = useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/status',
    { params },
    { refetchInterval: 3000 },
  );
  const file = useApiQuery('GET /api/v1/files/{id}', { params: { id: fileId } });
  const changes = [
    ...CHANGED_BY_FILES,
    'GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/status' as const,
  ];
  const retry = useApiMutation('POST /api/v1/pipelines/{pipeline_id}/files/{file_id}/retry', changes);
  const remove = useApiMutation('DELETE /api/v1/pipelines/{pipeline_id}/files/{file_id}', [
    ...CHANGED_BY_FILES,
  ]);
  const name = file.data?.name ?? 'File';
  if (isRemoving) {
    return (
      <Confirm
        title={`Remove ${name} from the index?`}
        action="Remove"
        onConfirm={async () => {
          await remove.mutateAsync({ params });
          onClose();
        }}
        onClose={() => setRemoving(false)}
      >
        It can no longer be found in this index. The file stays in the project.
      </Confirm>
    );
  }
  const actions = (
    <>
      <Button icon="trash" look="danger" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <ButtonLink icon="open" to={pathTo(`/indexes/${indexId}/files/${fileId}`)}>
        Open
      </ButtonLink>
      <Button
        icon="retry"
        look="primary"
        writes
        busy={retry.isPending}
        onClick={() => retry.mutate({ params })}
      >
        Try again
      </Button>
    </>
  );
  return (
    <Dialog title={name} onClose={onClose} actions={actions}>
      <Loaded read={status} what="The state of the file could not be read" rows={3}>
        {({ status: state, error }) => (
          <>
            <div>
              <StatusBadge status={state} />
            </div>
            {error?.map(({ message, step, job_id }) => (
              <div key={job_id} className={styles.problem}>
                <p className={styles.message}>{message}</p>
                <dl className={styles.facts}>
                  <dt>Step</dt>
                  <dd>{STEPS[step.toLowerCase()] ?? step}</dd>
                  <dt>Run</dt>
                  <dd>
                    <code>{job_id}</code> <CopyButton text={job_id} label="Copy run ID" />
                  </dd>
                </dl>
                <div>
                  <CopyButton
                    text={`${name} (${fileId})\n${step}: ${message}\nrun ${job_id}`}
                    label="Copy the reason"
                  >
                    Copy the reason
                  </CopyButton>
                </div>
              </div>
            ))}
            {state === 'ERROR' && error?.some(({ message }) => needsPassword(message)) && (
              <IndexPassword indexId={indexId} onSaved={() => retry.mutateAsync({ params })} />
            )}
          </>
        )}
      </Loaded>
      {retry.error && <Failure error={retry.error} what="The file could not be retried" />}
    </Dialog>
  );
}
