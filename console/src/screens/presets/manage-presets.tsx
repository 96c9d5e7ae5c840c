import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import styles from './presets.module.css';
import { CHANGED_BY_PRESETS, type Preset } from './presets.ts';

const ITEM = '/api/v2/pipelines/{pipeline_id}/retrieval-presets/{preset_id}';

/** Renames and deletes presets of the index, and chooses the default. */
export default function ManagePresets({ presets, onClose }: { presets: Preset[]; onClose: () => void }) {
  const [renamed, setRenamed] = useState<string>();
  const [deleted, setDeleted] = useState<Preset>();
  const remove = useApiMutation(`DELETE ${ITEM}`, [...CHANGED_BY_PRESETS]);
  const update = useApiMutation(`PUT ${ITEM}`, [...CHANGED_BY_PRESETS]);
  if (deleted) {
    const { id, name, pipeline_id, is_default } = deleted;
    return (
      <Confirm
        title={t('Delete the preset “{name}”?', { name })}
        action={t('Delete')}
        onConfirm={() => remove.mutateAsync({ params: { pipeline_id, preset_id: id } })}
        onClose={() => setDeleted(undefined)}
      >
        {is_default
          ? t('The index keeps the parameters of this preset as its defaults.')
          : t('Searches that already use its parameters stay the same.')}
      </Confirm>
    );
  }
  return (
    <Dialog title={t('Presets')} onClose={onClose} actions={<Button onClick={onClose}>{t('Done')}</Button>}>
      {presets.length === 0 && (
        <Empty icon="settings" title={t('No presets yet')}>
          {t('Choose parameters in the playground and save them as a preset.')}
        </Empty>
      )}
      <ul className={styles.presets}>
        {presets.map((preset) =>
          preset.id === renamed ? (
            <li key={preset.id}>
              <Rename preset={preset} onDone={() => setRenamed(undefined)} />
            </li>
          ) : (
            <li key={preset.id} className={styles.preset}>
              <span className={styles.name} dir="auto">
                {preset.name}
              </span>
              {preset.is_default && <Badge tone="good">{t('Index default')}</Badge>}
              <span className={styles.actions}>
                {!preset.is_default && (
                  <Button
                    writes
                    small
                    aria-label={t('Use as index default: {name}', { name: preset.name })}
                    busy={update.isPending && update.variables.params.preset_id === preset.id}
                    onClick={() =>
                      update.mutate({
                        params: { pipeline_id: preset.pipeline_id, preset_id: preset.id },
                        body: { is_default: true },
                      })
                    }
                  >
                    {t('Use as index default')}
                  </Button>
                )}
                <Button
                  writes
                  small
                  icon="edit"
                  aria-label={t('Rename {name}', { name: preset.name })}
                  onClick={() => setRenamed(preset.id)}
                >
                  {t('Rename')}
                </Button>
                <Button
                  small
                  look="danger"
                  icon="trash"
                  aria-label={t('Delete {name}', { name: preset.name })}
                  onClick={() => setDeleted(preset)}
                >
                  {t('Delete')}
                </Button>
              </span>
            </li>
          ),
        )}
      </ul>
      {update.error && <Failure error={update.error} what={t('The preset could not be changed')} />}
    </Dialog>
  );
}

function Rename({ preset, onDone }: { preset: Preset; onDone: () => void }) {
  const [name, setName] = useState(preset.name);
  const rename = useApiMutation(`PUT ${ITEM}`, [...CHANGED_BY_PRESETS]);
  const save = async () => {
    const done = await rename
      .mutateAsync({
        params: { pipeline_id: preset.pipeline_id, preset_id: preset.id },
        body: { name: name.trim() },
      })
      .catch(() => undefined);
    if (done) onDone();
  };
  return (
    <form
      className={styles.preset}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) void save();
      }}
    >
      <TextField
        label={t('New name of {name}', { name: preset.name })}
        value={name}
        maxLength={200}
        autoFocus
        error={rename.error?.message}
        onChange={({ target }) => setName(target.value)}
      />
      <span className={styles.actions}>
        <Button small onClick={onDone}>
          {t('Cancel')}
        </Button>
        <Button small look="primary" type="submit" writes disabled={!name.trim()} busy={rename.isPending}>
          {t('Save')}
        </Button>
      </span>
    </form>
  );
}
