import { type FormEvent, type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { useApiMutation } from '../../api/hooks.ts';
import { useOptimisticApiMutation } from '../../api/optimistic.ts';
import type { Body, Input, Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { notify } from '../../ui/notify.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { hasCustomEmbedding, useEmbeddingChoices, useEmbeddingName, useSinkChoices } from './connections.ts';
import styles from './index.module.css';
import { toTransformConfig, toTransformDraft } from './transform.ts';
import { TransformFields } from './transform-fields.tsx';
import { useSync } from './use-sync.ts';

const UPDATE = 'PUT /api/v1/pipelines/{pipeline_id}';
type Changes = Body<typeof UPDATE>;

interface FormProps {
  index: Pipeline;
}

/** Returns a function that saves changes to an index, and the state of its request. */
export function useIndexUpdate({ id }: Pipeline) {
  const change = useApiMutation(UPDATE, ['GET /api/v1/pipelines', 'GET /api/v1/pipelines/{pipeline_id}']);
  const save = (body: Changes) =>
    change.mutate({ params: { pipeline_id: id }, body }, { onSuccess: () => notify(t('Saved.')) });
  return { save, busy: change.isPending, error: change.error, isSaved: change.isSuccess };
}

/** Form for one section of the settings, with its own Save button. */
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
  /** Message that the form shows after saving. */
  saved?: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  const isShownAtField = error !== null && error.fields.length > 0;
  return (
    <Card title={title}>
      <form className={styles.form} onSubmit={submit} noValidate aria-label={title}>
        {children}
        {error && !isShownAtField && <Failure error={error} what={t('The settings could not be saved')} />}
        {saved}
        <div>
          <Button writes type="submit" busy={busy}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

const renameIndex = (index: Pipeline, { params, body }: Input<typeof UPDATE>) =>
  index.id === params.pipeline_id && body.name ? { ...index, name: body.name } : index;

const renameInList = (indexes: Pipeline[], input: Input<typeof UPDATE>) =>
  indexes.map((index) => renameIndex(index, input));

/** Form for the name of an index. The page shows a new name at once. */
export function NameForm({ index }: FormProps) {
  const [name, setName] = useState(index.name);
  const { mutate, error } = useOptimisticApiMutation(UPDATE, [
    { queryKey: ['GET /api/v1/pipelines/{pipeline_id}'], change: renameIndex },
    { queryKey: ['GET /api/v1/pipelines'], change: renameInList },
  ]);
  const save = () =>
    mutate(
      { params: { pipeline_id: index.id }, body: { name: name.trim() } },
      { onSuccess: () => notify(t('Saved.')) },
    );
  return (
    <SettingsForm title={t('Name')} onSave={save} busy={false} error={error?.status === 409 ? null : error}>
      <TextField
        label={t('Name')}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={error?.status === 409 ? error.message : error?.findFieldMessage('name')}
      />
    </SettingsForm>
  );
}

export function ChunksForm({ index }: FormProps) {
  const [draft, setDraft] = useState(() => toTransformDraft(index.transform_config));
  const { save, busy, error, isSaved } = useIndexUpdate(index);
  return (
    <SettingsForm
      title={t('Chunks')}
      onSave={() => save({ transform_config: toTransformConfig(draft, index.transform_config) })}
      busy={busy}
      error={error}
      saved={isSaved && <SyncNeeded index={index} />}
    >
      <TransformFields draft={draft} onChange={setDraft} error={error} />
    </SettingsForm>
  );
}

/** Choice for embedding settings that do not refer to a saved model. */
const CUSTOM = 'own';

export function EmbeddingForm({ index }: FormProps) {
  const saved = useEmbeddingChoices();
  const sinks = useSinkChoices();
  const embeddingName = useEmbeddingName();
  const hasCustom = hasCustomEmbedding(index);
  const [embedding, setEmbedding] = useState(index.embedding_model_config_id ?? (hasCustom ? CUSTOM : ''));
  const [sink, setSink] = useState(index.data_sink?.id ?? '');
  const { save, busy, error, isSaved } = useIndexUpdate(index);
  const send = () =>
    save({
      data_sink_id: sink || null,
      ...(embedding === '' && { embedding_model_config_id: null, embedding_config: {} }),
      ...(embedding && embedding !== CUSTOM && { embedding_model_config_id: embedding }),
    });
  return (
    <SettingsForm
      title={t('Embedding and storage')}
      onSave={send}
      busy={busy}
      error={error}
      saved={isSaved && <SyncNeeded index={index} />}
    >
      <Select
        label={t('Embedding model')}
        hint={t('If you change the model, all content is embedded again.')}
        choices={
          hasCustom
            ? [{ value: CUSTOM, label: t('Custom ({model})', { model: embeddingName(index) }) }, ...saved]
            : saved
        }
        value={embedding}
        onChange={({ target }) => setEmbedding(target.value)}
        error={
          error?.findFieldMessage('embedding_model_config_id') ?? error?.findFieldMessage('embedding_config')
        }
      />
      <Select
        label={t('Vector store')}
        choices={sinks}
        value={sink}
        onChange={({ target }) => setSink(target.value)}
        error={error?.findFieldMessage('data_sink_id')}
      />
    </SettingsForm>
  );
}

/** Tells the user that the change takes effect with the next sync, and offers to start one. */
function SyncNeeded({ index: { id } }: FormProps) {
  const sync = useSync();
  if (sync.isSuccess) return <Notice tone="good" icon="check" title={t('The sync has started')} />;
  return (
    <Notice tone="info" icon="retry" title={t('Saved. The next sync applies the change.')}>
      <p>
        {t(
          'The sync builds a new version of the index. Queries use the current version until the new one is complete.',
        )}
      </p>
      {sync.error && <Failure error={sync.error} what={t('The sync could not be started')} />}
      <div>
        <Button
          writes
          small
          icon="retry"
          busy={sync.isPending}
          onClick={() => sync.mutate({ params: { pipeline_id: id } })}
        >
          {t('Sync now')}
        </Button>
      </div>
    </Notice>
  );
}
