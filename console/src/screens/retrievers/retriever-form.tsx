import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import styles from './retrievers.module.css';

export type Retriever = Answer<'GET /api/v1/retrievers'>[number];
type Member = Retriever['pipelines'][number];

const CHANGES = ['GET /api/v1/retrievers', 'GET /api/v1/retrievers/{retriever_id}'] as const;

/** Makes a retriever, or changes one: its name, the indexes it asks, and what is said of each. */
export function RetrieverForm({
  retriever,
  onDone,
  onClose,
}: {
  retriever?: Retriever;
  onDone?: (retriever: Retriever) => void;
  onClose: () => void;
}) {
  const indexes = useAnswer('GET /api/v1/pipelines', {});
  const [name, setName] = useState(retriever?.name ?? '');
  const [members, setMembers] = useState<Member[]>(retriever?.pipelines ?? []);
  const [missing, setMissing] = useState<string>();
  const make = useAction('POST /api/v1/retrievers', [...CHANGES]);
  const change = useAction('PUT /api/v1/retrievers/{retriever_id}', [...CHANGES]);
  const { error, isPending } = retriever ? change : make;

  const save = async () => {
    if (!name.trim()) return setMissing('Enter a name.');
    const body = { name: name.trim(), pipelines: members };
    const saved = retriever
      ? change.mutateAsync({ params: { retriever_id: retriever.id }, body })
      : make.mutateAsync({ body });
    // What was refused is shown below.
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

  const ofName = missing ?? (error instanceof ApiError ? error.of('name') : undefined);
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button look="primary" type="submit" busy={isPending}>
        {retriever ? 'Save' : 'Create'}
      </Button>
    </>
  );
  return (
    <Dialog
      title={retriever ? 'Edit the retriever' : 'New retriever'}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      <TextField
        label="Name"
        value={name}
        error={ofName}
        autoFocus
        required
        onChange={(event) => {
          setName(event.target.value);
          setMissing(undefined);
        }}
      />
      <fieldset className={styles.members}>
        <legend>Indexes</legend>
        <Loaded read={indexes} what="The indexes could not be read" rows={3}>
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
                        label={`What is in ${index}`}
                        optional
                        value={member.description ?? ''}
                        onChange={(event) => describe(id, event.target.value)}
                      />
                    )}
                  </div>
                );
              })
            ) : (
              <Empty icon="index" title="There is no index yet">
                A retriever asks indexes: make one first.
              </Empty>
            )
          }
        </Loaded>
      </fieldset>
      {error && !ofName && <Failure error={error} what="It could not be saved" />}
    </Dialog>
  );
}

export const removeRetriever = (retriever_id: string) =>
  call('DELETE /api/v1/retrievers/{retriever_id}', { params: { retriever_id } });
