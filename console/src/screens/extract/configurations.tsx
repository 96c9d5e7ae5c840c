import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from '../jobs/jobs.module.css';
import type { Options } from './options.ts';
import type { Schema } from './schema.ts';

type Configuration = Options & { data_schema: Schema };

interface ConfigurationsProps {
  configuration: Configuration;
  onChoose: (configuration: Configuration) => void;
}

/**
 * Returns the parameters of a saved configuration without their product type. The cast is safe because the list only
 * contains configurations of the product type `extract_v2`, which the API's types cannot express.
 */
function toConfiguration({ product_type: _, ...parameters }: { product_type?: unknown }): Configuration {
  return parameters as unknown as Configuration;
}

/**
 * Loads and saves named extraction schemas with their options. Saving under an existing name creates a new
 * version.
 */
export function Configurations({ configuration, onChoose }: ConfigurationsProps) {
  const [isSaving, setSaving] = useState(false);
  const [chosen, setChosen] = useState('');
  const read = useApiQuery('GET /api/v1/beta/configurations', {
    query: { product_type: ['extract_v2'], page_size: 100 },
  });
  const saved = read.data?.items ?? [];
  const choose = (id: string) => {
    const found = saved.find((each) => each.id === id);
    setChosen(id);
    if (!found) return;
    onChoose(toConfiguration(found.parameters));
  };
  return (
    <div className={styles.saved}>
      <Select
        label={t('Saved configuration')}
        value={chosen}
        choices={[
          { value: '', label: saved.length > 0 ? t('None') : t('None saved yet') },
          ...saved.map(({ id, name, version }) => ({ value: id, label: `${name}, ${moment(version)}` })),
        ]}
        onChange={({ target }) => choose(target.value)}
      />
      <Button writes onClick={() => setSaving(true)}>
        {t('Save as…')}
      </Button>
      {isSaving && (
        <Save
          name={saved.find(({ id }) => id === chosen)?.name ?? ''}
          configuration={configuration}
          onSaved={setChosen}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

interface SaveProps {
  name: string;
  configuration: Configuration;
  onSaved: (id: string) => void;
  onClose: () => void;
}

function Save({ name: before, configuration, onSaved, onClose }: SaveProps) {
  const [name, setName] = useState(before);
  const save = useApiMutation('POST /api/v1/beta/configurations', ['GET /api/v1/beta/configurations']);
  const submit = async () => {
    const made = await save.mutateAsync({
      body: { name: name.trim(), parameters: { ...configuration, product_type: 'extract_v2' } },
    });
    notify(t('Saved as {name}', { name: made.name }));
    onSaved(made.id);
    onClose();
  };
  return (
    <Dialog
      title={t('Save the configuration')}
      onClose={onClose}
      onSubmit={() => void submit().catch(() => {})}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        hint={t('Saving under an existing name creates a new version and keeps the older ones.')}
        autoFocus
        required
        value={name}
        error={save.error?.findFieldMessage('name')}
        onChange={({ target }) => setName(target.value)}
      />
      {save.error && <Failure error={save.error} what={t('The configuration could not be saved')} />}
    </Dialog>
  );
}
