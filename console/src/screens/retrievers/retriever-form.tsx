import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import styles from './retrievers.module.css';

export type Retriever = Answer<'GET /api/v1/retrievers'>[number];
type Member = Retriever['pipelines'][number];

const CHANGES = ['GET /api/v1/retrievers', 'GET /api/v1/retrievers/{retriever_id}'] as const;

/** Creates or edits a retriever: its name, its indexes and their descriptions. */
export function RetrieverForm({
  retriever,
  onDone,
  onClose,
}: {
  retriever?: Retriever;
  onDone?: (retriever: Retriever) => void;
  onClose: () => void;
}) {
  const indexes = useApiQuery('GET /api/v1/pipelines', {});
  const [name, setName] = useState(retriever?.name ?? '');
  const [members, setMembers] = useState<Member[]>(retriever?.pipelines ?? []);
  const [missing, setMissing] = useState<string>();
  const create = useApiMutation('POST /api/v1/retrievers', [...CHANGES]);
  const change = useApiMutation('PUT /api/v1/retrievers/{retriever_id}', [...CHANGES]);
  const { error, isPending } = retriever ? change : create;

  const save = async () => {
    if (!name.trim()) return setMissing(t('Enter a name.'));
    const body = { name: name.trim(), pipelines: members };
    const saved = retriever
      ? change.mutateAsync({ params: { retriever_id: retriever.id }, body })
      : create.mutateAsync({ body });
    // A failed request is not handled here, because the form below shows its error.
    const done = await saved.catch(() => undefined);
    if (!done) return;
    onClose();
    onDone?.(done);
  };
  const toggle = (id: string, isIn: boolean) =>
    setMembers(
      isIn
        ? [...members, { pipeline_id: id, name: null, description: null }]
        : members.filter(({ pipeline_id }) => pipeline_id !== id),
    );
  const describe = (id: string, description: string) =>
    setMembers(
      members.map((member) =>
        member.pipeline_id === id ? { ...member, description: description || null } : member,
      ),
    );

  const nameError = missing ?? (error instanceof ApiError ? error.findFieldMessage('name') : undefined);
  const actions = (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={isPending}>
        {retriever ? t('Save') : t('Create')}
      </Button>
    </>
  );
  return (
    <Dialog
      title={retriever ? t('Edit the retriever') : t('New retriever')}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      <TextField
        label={t('Name')}
        value={name}
        error={nameError}
        autoFocus
        required
        onChange={(event) => {
          setName(event.target.value);
          setMissing(undefined);
        }}
      />
      <fieldset className={styles.members}>
        <legend>{t('Indexes')}</legend>
        <Loaded read={indexes} what={t('The indexes could not be read')} rows={3}>
          {(pipelines) =>
            pipelines.length > 0 ? (
              pipelines.map(({ id, name: index }) => {
                const member = members.find(({ pipeline_id }) => pipeline_id === id);
                return (
                  <div key={id} className={styles.member}>
                    <Checkbox
                      label={index}
                      checked={member !== undefined}
                      onChange={(event) => toggle(id, event.target.checked)}
                    />
                    {member && (
                      <TextField
                        label={t('Description of {name}', { name: index })}
                        optional
                        value={member.description ?? ''}
                        onChange={(event) => describe(id, event.target.value)}
                      />
                    )}
                  </div>
                );
              })
            ) : (
              <Empty icon="index" title={t('No indexes yet')}>
                {t('A retriever searches indexes. Create an index first.')}
              </Empty>
            )
          }
        </Loaded>
      </fieldset>
      {error && !nameError && <Failure error={error} what={t('The retriever could not be saved')} />}
    </Dialog>
  );
}

export const removeRetriever = (retriever_id: string) =>
  call('DELETE /api/v1/retrievers/{retriever_id}', { params: { retriever_id } });
