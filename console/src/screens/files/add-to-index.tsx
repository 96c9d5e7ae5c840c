import { useState } from 'react';
import { Link } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { rich, t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
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
      setAdded({ id, name: choices.find(({ value }) => value === id)?.label ?? t('the index') });
      announce(t('{count, plural, one {# file} other {# files}} added', { count: body.length }));
    } catch (error) {
      setFailure(error);
    }
  };
  const actions = added ? (
    <Button look="primary" onClick={onClose}>
      {t('Done')}
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={add.isPending} disabled={!id}>
        {t('Add {count, plural, one {# file} other {# files}}', { count })}
      </Button>
    </>
  );
  return (
    <Dialog
      title={t('Add {count, plural, one {# file} other {# files}} to an index', { count })}
      onClose={onClose}
      onSubmit={submit}
      actions={actions}
    >
      {added ? (
        <p>
          {rich('Added to <link>{name}</link>.', {
            name: added.name,
            link: (chunks) => <Link to={pathTo(`/indexes/${added.id}/files`)}>{chunks}</Link>,
          })}
        </p>
      ) : indexes.data && choices.length === 0 ? (
        <p>
          {rich('This project has no index. <link>Create one</link> first.', {
            link: (chunks) => <Link to={pathTo('/indexes')}>{chunks}</Link>,
          })}
        </p>
      ) : (
        <Select
          label={t('Index')}
          choices={choices}
          value={id ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        />
      )}
      {indexes.error && <Failure error={indexes.error} what={t('The indexes could not be read')} />}
      {failure !== undefined && <Failure error={failure} what={t('The files could not be added')} />}
    </Dialog>
  );
}
