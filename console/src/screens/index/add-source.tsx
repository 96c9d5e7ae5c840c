import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { useKindTitles } from './connections.ts';
import { intervalChoices } from './intervals.ts';
import { CHANGED_BY_RUNS } from './use-sync.ts';

/**
 * Dialog that adds a data source of the project to the index. Sources that the index already reads are not
 * offered.
 */
export function AddSource({
  indexId,
  connectedIds,
  onClose,
}: {
  indexId: string;
  connectedIds: string[];
  onClose: () => void;
}) {
  const pathTo = useProjectPath();
  const kind = useKindTitles();
  const read = useApiQuery('GET /api/v1/data-sources', {});
  const add = useApiMutation('PUT /api/v1/pipelines/{pipeline_id}/data-sources', CHANGED_BY_RUNS);
  const [chosen, setChosen] = useState('');
  const [interval, setInterval] = useState('');
  const available = (read.data ?? []).filter(({ id }) => !connectedIds.includes(id));
  const source = chosen || available[0]?.id;
  const submit = () => {
    if (!source) return;
    add.mutate(
      {
        params: { pipeline_id: indexId },
        body: [{ data_source_id: source, sync_interval: interval ? Number(interval) : null }],
      },
      { onSuccess: onClose },
    );
  };
  const actions = (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={add.isPending} disabled={!source}>
        {t('Add')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('Add a source')} onClose={onClose} onSubmit={submit} actions={actions}>
      <Loaded read={read} what={t('The sources could not be read')} rows={2}>
        {() =>
          available.length > 0 ? (
            <>
              <Select
                label={t('Source')}
                choices={available.map(({ id, name, source_type }) => ({
                  value: id,
                  label: `${name} (${kind(source_type)})`,
                }))}
                value={source}
                onChange={({ target }) => setChosen(target.value)}
              />
              <Select
                label={t('Sync interval')}
                hint={t('The first sync starts as soon as the source is added.')}
                choices={intervalChoices()}
                value={interval}
                onChange={({ target }) => setInterval(target.value)}
              />
            </>
          ) : (
            <>
              <p>
                {connectedIds.length > 0
                  ? t('This index already has every source of the project.')
                  : t('The project has no data source yet.')}
              </p>
              <ButtonLink icon="connection" to={pathTo('/connections')}>
                {t('Set up a source')}
              </ButtonLink>
            </>
          )
        }
      </Loaded>
      {add.error && <Failure error={add.error} what={t('The source could not be added')} />}
    </Dialog>
  );
}
