import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/notify.tsx';
import { useIndexStatus } from './use-status.ts';
import { useCancel, useSync } from './use-sync.ts';

interface SyncButtonsProps {
  id: string;
  onFailure: (error: unknown) => void;
}

export function SyncButtons({ id, onFailure }: SyncButtonsProps) {
  const { data } = useIndexStatus(id);
  const sync = useSync();
  const cancel = useCancel();
  const input = { params: { pipeline_id: id } };
  const begin = () => {
    onFailure(undefined);
    sync.mutate(input, { onError: onFailure, onSuccess: () => notify(t('The sync has started.')) });
  };
  const end = () => {
    onFailure(undefined);
    cancel.mutate(input, { onError: onFailure });
  };
  const isRunning = data?.status === 'IN_PROGRESS';
  return (
    <>
      {isRunning && (
        <Button writes icon="stop" onClick={end} busy={cancel.isPending}>
          {t('Cancel')}
        </Button>
      )}
      <Button look="primary" writes icon="retry" onClick={begin} busy={sync.isPending} disabled={isRunning}>
        {isRunning ? t('Syncing') : t('Sync')}
      </Button>
    </>
  );
}
