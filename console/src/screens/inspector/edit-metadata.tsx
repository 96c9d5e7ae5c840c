import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from './edit-metadata.module.css';
import { formatValue, listChanges, type MetadataRow } from './metadata-values.ts';
import { CHANGED_BY_CHUNKS, type Chunk } from './use-chunks.ts';

const EMPTY_ROW: MetadataRow = { key: '', text: '' };

/** Edits the metadata that is set for a single chunk. */
export default function EditMetadata({
  indexId,
  chunk,
  onClose,
}: {
  indexId: string;
  chunk: Chunk;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const before = chunk.chunk_metadata;
  const [rows, setRows] = useState<MetadataRow[]>(() => [
    ...Object.entries(before).map(([key, value]) => ({ key, text: formatValue(value) })),
    EMPTY_ROW,
  ]);
  const [isChecked, setChecked] = useState(false);
  const update = useApiMutation('PATCH /api/v1/pipelines/{pipeline_id}/nodes/{node_id}', [
    ...CHANGED_BY_CHUNKS,
  ]);
  /** Returns what is wrong with a row before it is sent. */
  const findProblem = ({ key, text }: MetadataRow, at: number) => {
    const name = key.trim();
    if (name === '') return text === '' ? undefined : t('Enter a key.');
    const first = rows.findIndex((row) => row.key.trim() === name);
    return first < at ? t('This key is already in the list.') : undefined;
  };
  const findRefusal = ({ key }: MetadataRow) => update.error?.findFieldMessage(`metadata.${key.trim()}`);
  const save = async () => {
    setChecked(true);
    if (rows.some(findProblem)) return;
    const metadata = listChanges(before, rows);
    if (Object.keys(metadata).length === 0) return onClose();
    const saved = await update
      .mutateAsync({ params: { pipeline_id: indexId, node_id: chunk.id_ ?? '' }, body: { metadata } })
      // A failed request is not handled here, because the form below shows its error.
      .catch(() => undefined);
    if (!saved) return;
    await client.invalidateQueries({ queryKey: ['POST /api/v1/pipelines/{pipeline_id}/retrieve'] });
    notify(t('Metadata saved'));
    onClose();
  };
  const change = (next: MetadataRow[]) => {
    setRows(next);
    if (update.error) update.reset();
  };
  const set = (at: number, row: MetadataRow) => change(rows.with(at, row));
  const actions = (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" busy={update.isPending}>
        {t('Save')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('Edit metadata')} onClose={onClose} onSubmit={() => void save()} actions={actions} wide>
      <p>
        {t(
          'These values take precedence over the metadata of the file, in filters and in results. They stay as long as the text of the chunk stays the same. Numbers, true, false and lists such as ["a", "b"] keep their type.',
        )}
      </p>
      <ul className={styles.rows}>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id
          <li key={at} className={styles.row}>
            <TextField
              label={t('Key {number}', { number: at + 1 })}
              hideLabel
              placeholder={t('Key')}
              value={row.key}
              error={isChecked ? (findProblem(row, at) ?? findRefusal(row)) : undefined}
              onChange={({ target }) => set(at, { ...row, key: target.value })}
            />
            <TextField
              label={t('Value {number}', { number: at + 1 })}
              hideLabel
              placeholder={t('Value')}
              value={row.text}
              onChange={({ target }) => set(at, { ...row, text: target.value })}
            />
            <IconButton
              icon="close"
              label={t('Remove row {number}', { number: at + 1 })}
              onClick={() => change(rows.toSpliced(at, 1))}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button small icon="plus" onClick={() => change([...rows, EMPTY_ROW])}>
          {t('Add row')}
        </Button>
      </div>
      {update.error && !rows.some(findRefusal) && (
        <Failure error={update.error} what={t('The metadata could not be saved')} />
      )}
    </Dialog>
  );
}
