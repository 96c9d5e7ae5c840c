import { useState } from 'react';
import { useAction, useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { useKindTitles } from './connections.ts';
import { intervalChoices } from './intervals.ts';
import { CHANGED_BY_RUNS } from './use-sync.ts';

/** Chooses one of the project's sources that the index does not read yet. */
export function AddSource({
  indexId,
  held,
  onClose,
}: {
  indexId: string;
  held: string[];
  onClose: () => void;
}) {
  const at = useAt();
  const kind = useKindTitles();
  const read = useAnswer('GET /api/v1/data-sources', {});
  const add = useAction('PUT /api/v1/pipelines/{pipeline_id}/data-sources', CHANGED_BY_RUNS);
  const [chosen, setChosen] = useState('');
  const [interval, setInterval] = useState('');
  const others = (read.data ?? []).filter(({ id }) => !held.includes(id));
  const source = chosen || others[0]?.id;
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
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" type="submit" busy={add.isPending} disabled={!source}>
        Add
      </Button>
    </>
  );
  return (
    <Dialog title="Add a source" onClose={onClose} onSubmit={submit} actions={actions}>
      <Loaded read={read} what="The sources could not be read" rows={2}>
        {() =>
          others.length > 0 ? (
            <>
              <Select
                label="Source"
                choices={others.map(({ id, name, source_type }) => ({
                  value: id,
                  label: `${name} (${kind(source_type)})`,
                }))}
                value={source}
                onChange={({ target }) => setChosen(target.value)}
              />
              <Select
                label="Read again"
                hint="It is read once as soon as it is added."
                choices={intervalChoices()}
                value={interval}
                onChange={({ target }) => setInterval(target.value)}
              />
            </>
          ) : (
            <>
              <p>
                {held.length > 0
                  ? 'Every source of the project is in this index.'
                  : 'The project has no source yet.'}
              </p>
              <ButtonLink icon="connection" to={at('/connections')}>
                Set up a source
              </ButtonLink>
            </>
          )
        }
      </Loaded>
      {add.error && <Failure error={add.error} what="The source could not be added" />}
    </Dialog>
  );
}
