import { useState } from 'react';
import { Link } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';

interface AddToIndexProps {
  /** Returns the ids of the files. They are loaded when the user confirms. */
  getFileIds: () => Promise<string[]>;
  count: number;
  onClose: () => void;
}

/** Adds files of the project to an index, which then indexes them. */
export function AddToIndex({ getFileIds, count, onClose }: AddToIndexProps) {
  const pathTo = useProjectPath();
  const indexes = useApiQuery('GET /api/v1/pipelines', { query: { pipeline_type: 'MANAGED' } });
  const [chosen, setChosen] = useState('');
  const [added, setAdded] = useState<{ id: string; name: string }>();
  const [failure, setFailure] = useState<unknown>();
  const add = useApiMutation('PUT /api/v1/pipelines/{pipeline_id}/files', ['GET /api/v1/pipelines']);
  const choices = (indexes.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const id = chosen || choices[0]?.value;
  const submit = async () => {
    if (!id) return;
    setFailure(undefined);
    try {
      const body = (await getFileIds()).map((file_id) => ({ file_id: file_id.replace(/^dfl-/, '') }));
      await add.mutateAsync({ params: { pipeline_id: id }, body });
      setAdded({ id, name: choices.find(({ value }) => value === id)?.label ?? 'the index' });
      announce(`${plural(body.length, 'file')} added`);
    } catch (error) {
      setFailure(error);
    }
  };
  const actions = added ? (
    <Button look="primary" onClick={onClose}>
      Done
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" type="submit" busy={add.isPending} disabled={!id}>
        Add {plural(count, 'file')}
      </Button>
    </>
  );
  return (
    <Dialog
      title={`Add ${plural(count, 'file')} to an index`}
      onClose={onClose}
      onSubmit={submit}
      actions={actions}
    >
      {added ? (
        <p>
          Added to <Link to={pathTo(`/indexes/${added.id}/files`)}>{added.name}</Link>.
        </p>
      ) : indexes.data && choices.length === 0 ? (
        <p>
          This project has no index. <Link to={pathTo('/indexes')}>Create one</Link> first.
        </p>
      ) : (
        <Select
          label="Index"
          choices={choices}
          value={id ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        />
      )}
      {indexes.error && <Failure error={indexes.error} what="The indexes could not be read" />}
      {failure !== undefined && <Failure error={failure} what="The files could not be added" />}
    </Dialog>
  );
}
