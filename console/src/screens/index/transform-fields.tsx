import { useId } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { Select, TextField } from '../../ui/field.tsx';
import styles from './index.module.css';
import { hasSizes, type TransformDraft } from './transform.ts';

const PRESETS = [
  { key: 'auto', title: 'Automatic', what: 'Depends on the type of each document. Suits most documents.' },
  { key: 'pages', title: 'Page by page', what: 'No chunk spans several pages.' },
  { key: 'custom', title: 'Custom', what: 'Choose how documents are split and how long chunks are.' },
] as const;

const SEGMENTS = [
  { value: 'none', label: 'None' },
  { value: 'page', label: 'Pages' },
  { value: 'element', label: 'Headings, tables and lists' },
];

const CHUNKERS = [
  { value: 'sentence', label: 'Sentences' },
  { value: 'token', label: 'Tokens' },
  { value: 'character', label: 'Characters' },
  { value: 'semantic', label: 'Topics (semantic)' },
  { value: 'none', label: 'None' },
];

/** Form fields for the settings that control how documents are split into chunks. */
export function TransformFields({
  draft,
  onChange,
  error,
}: {
  draft: TransformDraft;
  onChange: (draft: TransformDraft) => void;
  error?: ApiError | null | undefined;
}) {
  const name = useId();
  const set = (changes: Partial<TransformDraft>) => onChange({ ...draft, ...changes });
  return (
    <>
      <fieldset>
        <legend className={styles.legend}>Chunking</legend>
        <div className={styles.presets}>
          {PRESETS.map(({ key, title, what }) => (
            <label key={key} className={styles.preset}>
              <input
                type="radio"
                name={name}
                checked={draft.preset === key}
                onChange={() => set({ preset: key })}
              />
              <span>
                <strong>{title}</strong>
                <br />
                <span className={styles.words}>{what}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {draft.preset === 'custom' && (
        <div className={styles.pair}>
          <Select
            label="Split first by"
            choices={SEGMENTS}
            value={draft.segments}
            onChange={({ target }) => set({ segments: target.value as TransformDraft['segments'] })}
          />
          <Select
            label="Then split by"
            choices={CHUNKERS}
            value={draft.chunker}
            onChange={({ target }) => set({ chunker: target.value as TransformDraft['chunker'] })}
          />
        </div>
      )}
      {draft.preset !== 'pages' && (draft.preset === 'auto' || hasSizes(draft)) && (
        <Sizes draft={draft} set={set} error={error} />
      )}
    </>
  );
}

function Sizes({
  draft,
  set,
  error,
}: {
  draft: TransformDraft;
  set: (changes: Partial<TransformDraft>) => void;
  error: ApiError | null | undefined;
}) {
  const unit = draft.preset === 'custom' && draft.chunker === 'character' ? 'characters' : 'tokens';
  const problem = (member: string) => {
    const part = draft.preset === 'custom' ? 'chunking_config.' : '';
    return error?.findFieldMessage(`transform_config.${part}${member}`);
  };
  return (
    <div className={styles.pair}>
      <TextField
        label={`Chunk size in ${unit}`}
        inputMode="numeric"
        value={draft.size}
        onChange={({ target }) => set({ size: target.value })}
        error={problem('chunk_size')}
      />
      <TextField
        label={`Overlap in ${unit}`}
        inputMode="numeric"
        value={draft.overlap}
        onChange={({ target }) => set({ overlap: target.value })}
        error={problem('chunk_overlap')}
      />
    </div>
  );
}
