import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { ReadOperation } from '../../api/types.ts';
import { needsPassword } from '../../forms/needs-password.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { CHANGED_BY_FILES } from '../../uploads/targets.ts';
import { getStepLabels } from '../index/failed-steps.ts';
import styles from './files.module.css';
import { IndexPassword } from './index-password.tsx';

const STATUS = 'GET /api/v1/pipelines/{pipeline_id}/files/{file_id}/status';

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
  const client = useQueryClient();
  const pathTo = useProjectPath();
  const params = { pipeline_id: indexId, file_id: fileId };
  const [isRemoving, setRemoving] = useState(false);
  const status = useApiQuery(
    STATUS,
    { params },
    // The status can no longer be read once the file is removed.
    { refetchInterval: 3000, enabled: !isRemoving },
  );
  const file = useApiQuery('GET /api/v1/files/{id}', { params: { id: fileId } });
  const changes: ReadOperation[] = [...CHANGED_BY_FILES, STATUS];
  const retry = useApiMutation('POST /api/v1/pipelines/{pipeline_id}/files/{file_id}/retry', changes);
  const remove = useApiMutation('DELETE /api/v1/pipelines/{pipeline_id}/files/{file_id}', [
    ...CHANGED_BY_FILES,
  ]);
  const name = file.data?.name ?? t('File');
  if (isRemoving) {
    return (
      <Confirm
        title={t('Remove {name} from the index?', { name })}
        action={t('Remove')}
        onConfirm={async () => {
          await client.cancelQueries({ queryKey: [STATUS] });
          await remove.mutateAsync({ params });
          onClose();
        }}
        onClose={() => setRemoving(false)}
      >
        {t('It can no longer be found in this index. The file stays in the project.')}
      </Confirm>
    );
  }
  const actions = (
    <>
      <Button icon="trash" look="danger" onClick={() => setRemoving(true)}>
        {t('Remove')}
      </Button>
      <ButtonLink icon="open" to={pathTo(`/indexes/${indexId}/files/${fileId}`)}>
        {t('Open')}
      </ButtonLink>
      <Button
        icon="retry"
        look="primary"
        writes
        busy={retry.isPending}
        onClick={() => retry.mutate({ params })}
      >
        {t('Try again')}
      </Button>
    </>
  );
  return (
    <Dialog title={name} onClose={onClose} actions={actions}>
      <Loaded read={status} what={t('The state of the file could not be read')} rows={3}>
        {({ status: state, error }) => (
          <>
            <div>
              <StatusBadge status={state} />
            </div>
            {error?.map(({ message, step, job_id }) => (
              <div key={job_id} className={styles.problem}>
                <p className={styles.message}>{message}</p>
                <dl className={styles.facts}>
                  <dt>{t('Step')}</dt>
                  <dd>{getStepLabels()[step]}</dd>
                  <dt>{t('Run')}</dt>
                  <dd>
                    <code>{job_id}</code> <CopyButton text={job_id} label={t('Copy run ID')} />
                  </dd>
                </dl>
                <div>
                  <CopyButton
                    text={t('{name} ({id})\n{step}: {message}\nrun {run}', {
                      name,
                      id: fileId,
                      step,
                      message,
                      run: job_id,
                    })}
                    label={t('Copy the reason')}
                  >
                    {t('Copy the reason')}
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
      {retry.error && <Failure error={retry.error} what={t('The file could not be retried')} />}
    </Dialog>
  );
}
