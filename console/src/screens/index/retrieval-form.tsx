import { useState } from 'react';
import type { Pipeline } from '../../api/types.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './index.module.css';
import { SettingsForm, useChange } from './settings-forms.tsx';

type Preset = NonNullable<Pipeline['preset_retrieval_parameters']>;

const MODES = [
  { value: '', label: 'Chunks (default)' },
  { value: 'files_via_content', label: 'Whole files, by their content' },
  { value: 'files_via_metadata', label: 'Whole files, by their names and metadata' },
  { value: 'auto_routed', label: 'Chosen for each question' },
];

/** Numbers of the preset, each with what stands in for it when it is empty. */
const NUMBERS = [
  { key: 'dense_similarity_top_k', label: 'Found by meaning, at most', ghost: '30' },
  { key: 'sparse_similarity_top_k', label: 'Found by words, at most', ghost: '30' },
  { key: 'alpha', label: 'Words (0) to meaning (1)', ghost: 'What suits the model' },
  { key: 'dense_similarity_cutoff', label: 'Least similarity', ghost: '0' },
  { key: 'rerank_top_n', label: 'Kept after reranking', ghost: '6' },
] as const;

/** What stands for parameters that a question leaves out. */
export function RetrievalForm({ index }: { index: Pipeline }) {
  const stored: Preset = index.preset_retrieval_parameters ?? {};
  const [mode, setMode] = useState<string>(stored.retrieval_mode ?? '');
  const [reranks, setReranks] = useState(stored.enable_reranking ?? true);
  const [numbers, setNumbers] = useState<Record<string, string>>(() =>
    Object.fromEntries(NUMBERS.map(({ key }) => [key, stored[key] == null ? '' : String(stored[key])])),
  );
  const { save, busy, error, isSaved } = useChange(index);
  const send = () => {
    const given = NUMBERS.map(({ key }) => [key, numberOf(numbers[key] ?? '')] as const);
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
      title="Retrieval by default"
      onSave={send}
      busy={busy}
      error={error}
      saved={
        isSaved && <Notice tone="good" icon="check" title="Saved; questions are answered so from now on" />
      }
    >
      <p className={styles.words}>
        For questions that say nothing else. Empty means the default. Try them out in the playground.
      </p>
      <Select
        label="What is retrieved"
        choices={MODES}
        value={mode}
        onChange={({ target }) => setMode(target.value)}
      />
      <div className={styles.pair}>
        {NUMBERS.map(({ key, label, ghost }) => (
          <TextField
            key={key}
            label={label}
            inputMode="decimal"
            placeholder={ghost}
            value={numbers[key] ?? ''}
            onChange={({ target }) => setNumbers({ ...numbers, [key]: target.value })}
            error={error?.of(`preset_retrieval_parameters.${key}`)}
          />
        ))}
      </div>
      <Checkbox
        label="Rerank what is found"
        checked={reranks}
        onChange={({ target }) => setReranks(target.checked)}
      />
    </SettingsForm>
  );
}

/** What is no number is sent as it was typed: the service says what is wrong with it. */
function numberOf(text: string): number | string | null {
  if (text.trim() === '') return null;
  const value = Number(text.replace(',', '.'));
  return Number.isNaN(value) ? text : value;
}
