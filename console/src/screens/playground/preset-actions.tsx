import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { loadable } from '../../shell/loadable.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import type { Preset, PresetParameters } from '../presets/presets.ts';
import styles from './panel.module.css';
import type { Settings } from './settings.ts';

const SavePreset = loadable(() => import('../presets/save-preset.tsx'));
const ManagePresets = loadable(() => import('../presets/manage-presets.tsx'));

interface PresetActionsProps {
  index: Pipeline;
  settings: Settings;
  presets: Preset[];
  /** Preset that was last chosen. */
  chosen: Preset | undefined;
  onReset: () => void;
  onSaved: (preset: Preset) => void;
}

/** Buttons that reset the search parameters, save them as a preset or as the defaults, and manage presets. */
export function PresetActions({ index, settings, presets, chosen, onReset, onSaved }: PresetActionsProps) {
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState<'save' | 'manage'>();
  const close = () => setShown(undefined);
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
      <Button writes small onClick={() => setShown('save')}>
        {t('Save as preset')}
      </Button>
      {presets.length > 0 && (
        <Button writes small onClick={() => setShown('manage')}>
          {t('Manage presets')}
        </Button>
      )}
      {shown === 'save' && (
        <SavePreset
          indexId={index.id}
          presets={presets}
          suggested={chosen?.name ?? ''}
          parameters={{ ...index.preset_retrieval_parameters, ...settings } as PresetParameters}
          onSaved={onSaved}
          onClose={close}
        />
      )}
      {shown === 'manage' && <ManagePresets presets={presets} onClose={close} />}
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
