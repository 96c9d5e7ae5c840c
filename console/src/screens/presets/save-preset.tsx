import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import { CHANGED_BY_PRESETS, type Preset, type PresetParameters } from './presets.ts';

/** Saves parameters as a preset of the index. The name of an existing preset replaces its parameters. */
export default function SavePreset({
  indexId,
  presets,
  suggested,
  parameters,
  onSaved,
  onClose,
}: {
  indexId: string;
  presets: Preset[];
  /** Name that the field contains at first. */
  suggested: string;
  parameters: PresetParameters;
  onSaved: (preset: Preset) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(suggested);
  const [isDefault, setDefault] = useState(false);
  const [missing, setMissing] = useState<string>();
  const create = useApiMutation('POST /api/v2/pipelines/{pipeline_id}/retrieval-presets', [
    ...CHANGED_BY_PRESETS,
  ]);
  const update = useApiMutation('PUT /api/v2/pipelines/{pipeline_id}/retrieval-presets/{preset_id}', [
    ...CHANGED_BY_PRESETS,
  ]);
  const existing = presets.find((preset) => preset.name === name.trim());
  const { error, isPending } = existing ? update : create;
  const save = async () => {
    if (!name.trim()) return setMissing(t('Enter a name.'));
    const body = { name: name.trim(), parameters, ...(isDefault && { is_default: true }) };
    const params = { pipeline_id: indexId };
    const saving = existing
      ? update.mutateAsync({ params: { ...params, preset_id: existing.id }, body })
      : create.mutateAsync({ params, body });
    // A failed request is not handled here, because the form below shows its error.
    const saved = await saving.catch(() => undefined);
    if (!saved) return;
    notify(t('Preset saved'));
    onClose();
    onSaved(saved);
  };
  const nameError = missing ?? error?.findFieldMessage('name');
  const actions = (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={isPending}>
        {existing ? t('Replace') : t('Save')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('Save as preset')} onClose={onClose} onSubmit={() => void save()} actions={actions}>
      <p>
        {t(
          'A preset contains the parameters of this search, including the defaults that the index has now. Everyone in the project can choose it.',
        )}
      </p>
      <TextField
        label={t('Name')}
        value={name}
        maxLength={200}
        required
        error={nameError}
        hint={existing ? t('The parameters of this preset will be replaced.') : undefined}
        onChange={({ target }) => {
          setName(target.value);
          setMissing(undefined);
        }}
      />
      <Checkbox
        label={t('Use as index default')}
        checked={isDefault}
        onChange={({ target }) => setDefault(target.checked)}
      />
      {error && !nameError && <Failure error={error} what={t('The preset could not be saved')} />}
    </Dialog>
  );
}
