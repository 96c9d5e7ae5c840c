import { useApiMutation } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';

export function DeleteIndex({
  index: { id, name },
  onClose,
}: {
  index: Pick<Pipeline, 'id' | 'name'>;
  onClose: () => void;
}) {
  const remove = useApiMutation('DELETE /api/v1/pipelines/{pipeline_id}', [
    'GET /api/v1/pipelines',
    'GET /api/v1/pipelines/{pipeline_id}',
  ]);
  const confirm = async () => {
    await remove.mutateAsync({ params: { pipeline_id: id } });
    notify(t('{name} is being deleted.', { name }));
  };
  return (
    <Confirm
      title={t('Delete this index?')}
      action={t('Delete')}
      typed={name}
      onConfirm={confirm}
      onClose={onClose}
    >
      {t(
        'Its content and all conversations with it are deleted, and it can no longer be searched. Its files and sources stay in the project.',
      )}
    </Confirm>
  );
}
