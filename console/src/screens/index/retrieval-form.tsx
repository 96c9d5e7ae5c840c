import { useState } from 'react';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './index.module.css';
import { SettingsForm, useIndexUpdate } from './settings-forms.tsx';

type Preset = NonNullable<Pipeline['preset_retrieval_parameters']>;

const getModes = () => [
  { value: '', label: t('Chunks (default)') },
  { value: 'files_via_content', label: t('Whole files, by their content') },
  { value: 'files_via_metadata', label: t('Whole files, by their names and metadata') },
  { value: 'auto_routed', label: t('Chosen for each question') },
];

/** Numeric retrieval parameters. The placeholder of each field shows its default. */
const getNumbers = () =>
  [
    { key: 'dense_similarity_top_k', label: t('Semantic top-k'), placeholder: '30' },
    { key: 'sparse_similarity_top_k', label: t('Keyword top-k'), placeholder: '30' },
    { key: 'alpha', label: t('Keyword ↔ semantic weight'), placeholder: t('Automatic') },
    { key: 'dense_similarity_cutoff', label: t('Minimum similarity'), placeholder: '0' },
    { key: 'rerank_top_n', label: t('Rerank top n'), placeholder: '6' },
  ] as const;

/**
 * Form for the retrieval parameters of an index. They apply to queries that do not set these parameters
 * themselves.
 */
export function RetrievalForm({ index }: { index: Pipeline }) {
  const stored: Preset = index.preset_retrieval_parameters ?? {};
  const [mode, setMode] = useState<string>(stored.retrieval_mode ?? '');
  const [reranks, setReranks] = useState(stored.enable_reranking ?? true);
  const [numbers, setNumbers] = useState<Record<string, string>>(() =>
    Object.fromEntries(getNumbers().map(({ key }) => [key, stored[key] == null ? '' : String(stored[key])])),
  );
  const { save, busy, error, isSaved } = useIndexUpdate(index);
  const send = () => {
    const given = getNumbers().map(({ key }) => [key, parseNumber(numbers[key] ?? '')] as const);
    const preset = {
      ...stored,
      retrieval_mode: mode || null,
      enable_reranking: reranks ? null : false,
      ...Object.fromEntries(given),
    } as Preset;
    save({ preset_retrieval_parameters: preset });
  };
  return (
    <SettingsForm
      title={t('Retrieval defaults')}
      onSave={send}
      busy={busy}
      error={error}
      saved={
        isSaved && <Notice tone="good" icon="check" title={t('Saved. New queries use these parameters.')} />
      }
    >
      <p className={styles.words}>
        {t(
          'These parameters apply when a query does not set them. An empty field uses the default. Try parameters in the playground.',
        )}
      </p>
      <Select
        label={t('Mode')}
        choices={getModes()}
        value={mode}
        onChange={({ target }) => setMode(target.value)}
      />
      <div className={styles.pair}>
        {getNumbers().map(({ key, label, placeholder }) => (
          <TextField
            key={key}
            label={label}
            inputMode="decimal"
            placeholder={placeholder}
            value={numbers[key] ?? ''}
            onChange={({ target }) => setNumbers({ ...numbers, [key]: target.value })}
            error={error?.findFieldMessage(`preset_retrieval_parameters.${key}`)}
          />
        ))}
      </div>
      <Checkbox
        label={t('Rerank results')}
        checked={reranks}
        onChange={({ target }) => setReranks(target.checked)}
      />
    </SettingsForm>
  );
}

/** Text that is not a number is sent unchanged, so that the service reports the error. */
function parseNumber(text: string): number | string | null {
  if (text.trim() === '') return null;
  const value = Number(text.replace(',', '.'));
  return Number.isNaN(value) ? text : value;
}
