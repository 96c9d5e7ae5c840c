import { type FormEvent, type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { useAction } from '../../api/hooks.ts';
import type { Body, Pipeline } from '../../api/types.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { hasOwnEmbedding, useEmbeddingChoices, useEmbeddingName, useSinkChoices } from './connections.ts';
import styles from './index.module.css';
import { transformConfig, transformDraft } from './transform.ts';
import { TransformFields } from './transform-fields.tsx';
import { useSync } from './use-sync.ts';

const UPDATE = 'PUT /api/v1/pipelines/{pipeline_id}';
type Changes = Body<typeof UPDATE>;

interface FormProps {
  index: Pipeline;
}

/** Changes an index. */
export function useChange({ id }: Pipeline) {
  const change = useAction(UPDATE, ['GET /api/v1/pipelines', 'GET /api/v1/pipelines/{pipeline_id}']);
  const save = (body: Changes) =>
    change.mutate({ params: { pipeline_id: id }, body }, { onSuccess: () => announce('Saved.') });
  return { save, busy: change.isPending, error: change.error, isSaved: change.isSuccess };
}

/** One part of the settings, saved by itself. */
export function SettingsForm({
  title,
  onSave,
  busy,
  error,
  children,
  saved,
}: {
  title: string;
  onSave: () => void;
  busy: boolean;
  error: ApiError | null;
  children: ReactNode;
  /** Said when it is saved. */
  saved?: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  const isSaidAtField = error !== null && error.fields.length > 0;
  return (
    <Card title={title}>
      <form className={styles.form} onSubmit={submit} noValidate aria-label={title}>
        {children}
        {error && !isSaidAtField && <Failure error={error} what="It could not be saved" />}
        {saved}
        <div>
          <Button type="submit" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}

export function NameForm({ index }: FormProps) {
  const [name, setName] = useState(index.name);
  const { save, busy, error } = useChange(index);
  return (
    <SettingsForm
      title="Name"
      onSave={() => save({ name: name.trim() })}
      busy={busy}
      error={error?.status === 409 ? null : error}
    >
      <TextField
        label="Name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={error?.status === 409 ? error.message : error?.of('name')}
      />
    </SettingsForm>
  );
}

export function ChunksForm({ index }: FormProps) {
  const [draft, setDraft] = useState(() => transformDraft(index.transform_config));
  const { save, busy, error, isSaved } = useChange(index);
  return (
    <SettingsForm
      title="Chunks"
      onSave={() => save({ transform_config: transformConfig(draft, index.transform_config) })}
      busy={busy}
      error={error}
      saved={isSaved && <SyncNeeded index={index} />}
    >
      <TransformFields draft={draft} onChange={setDraft} error={error} />
    </SettingsForm>
  );
}

/** A model or settings of its own, which no choice names. */
const OWN = 'own';

export function EmbeddingForm({ index }: FormProps) {
  const saved = useEmbeddingChoices();
  const sinks = useSinkChoices();
  const embeddingName = useEmbeddingName();
  const hasOwn = hasOwnEmbedding(index);
  const [embedding, setEmbedding] = useState(index.embedding_model_config_id ?? (hasOwn ? OWN : ''));
  const [sink, setSink] = useState(index.data_sink?.id ?? '');
  const { save, busy, error, isSaved } = useChange(index);
  const send = () =>
    save({
      data_sink_id: sink || null,
      ...(embedding === '' && { embedding_model_config_id: null, embedding_config: {} }),
      ...(embedding && embedding !== OWN && { embedding_model_config_id: embedding }),
    });
  return (
    <SettingsForm
      title="Embedding and place"
      onSave={send}
      busy={busy}
      error={error}
      saved={isSaved && <SyncNeeded index={index} />}
    >
      <Select
        label="Embedding model"
        hint="Another model means that everything is embedded anew."
        choices={
          hasOwn ? [{ value: OWN, label: `Settings of its own (${embeddingName(index)})` }, ...saved] : saved
        }
        value={embedding}
        onChange={({ target }) => setEmbedding(target.value)}
        error={error?.of('embedding_model_config_id') ?? error?.of('embedding_config')}
      />
      <Select
        label="Kept in"
        choices={sinks}
        value={sink}
        onChange={({ target }) => setSink(target.value)}
        error={error?.of('data_sink_id')}
      />
    </SettingsForm>
  );
}

/** What is found follows such a change with the next sync. */
function SyncNeeded({ index: { id } }: FormProps) {
  const sync = useSync();
  if (sync.isSuccess) return <Notice tone="good" icon="check" title="The sync has begun" />;
  return (
    <Notice tone="info" icon="retry" title="Saved; the next sync applies it">
      <p>A new index is built beside this one, which answers until the new one is complete.</p>
      {sync.error && <Failure error={sync.error} what="The sync could not be begun" />}
      <div>
        <Button
          small
          icon="retry"
          busy={sync.isPending}
          onClick={() => sync.mutate({ params: { pipeline_id: id } })}
        >
          Sync now
        </Button>
      </div>
    </Notice>
  );
}
