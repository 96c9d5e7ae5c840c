import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from './panel.module.css';
import type { Settings } from './settings.ts';

interface PresetActionsProps {
  index: Pipeline;
  settings: Settings;
  onReset: () => void;
}

/** Buttons that reset the search parameters or save them as the defaults of the index. */
export function PresetActions({ index, settings, onReset }: PresetActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const save = useApiMutation('PUT /api/v1/pipelines/{pipeline_id}', [
    'GET /api/v1/pipelines/{pipeline_id}',
    'GET /api/v1/pipelines',
  ]);
  const changed = Object.keys(settings).length;
  const confirm = async () => {
    await save.mutateAsync({
      params: { pipeline_id: index.id },
      body: { preset_retrieval_parameters: { ...index.preset_retrieval_parameters, ...settings } },
    });
    notify(t('Saved as index defaults'));
    setOpen(false);
    onReset();
  };
  const actions = (
    <>
      <Button onClick={() => setOpen(false)}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={save.isPending}>
        {t('Save')}
      </Button>
    </>
  );
  return (
    <div className={styles.actions}>
      <Button small disabled={changed === 0} onClick={onReset}>
        {t('Reset')}
      </Button>
      <Button writes small disabled={changed === 0} onClick={() => setOpen(true)}>
        {t('Save as defaults')}
      </Button>
      {isOpen && (
        <Dialog
          title={t('Save as index defaults')}
          onClose={() => setOpen(false)}
          onSubmit={() => void confirm().catch(() => {})}
          actions={actions}
        >
          <p>
            {t(
              'Searches and chats with “{name}” use {count, plural, one {# changed parameter} other {# changed parameters}} from now on, unless a request sets its own.',
              { name: index.name, count: changed },
            )}
          </p>
          {save.error && <Failure error={save.error} what={t('The defaults could not be saved')} />}
        </Dialog>
      )}
    </div>
  );
}
