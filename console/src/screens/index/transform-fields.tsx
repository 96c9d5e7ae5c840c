import { useId } from 'react';
import type { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Select, TextField } from '../../ui/field.tsx';
import styles from './index.module.css';
import { hasSizes, type TransformDraft } from './transform.ts';

const getPresets = () =>
  [
    {
      key: 'auto',
      title: t('Automatic'),
      what: t('Depends on the type of each document. Suits most documents.'),
    },
    { key: 'pages', title: t('Page by page'), what: t('No chunk spans several pages.') },
    { key: 'custom', title: t('Custom'), what: t('Choose how documents are split and how long chunks are.') },
  ] as const;

const getSegments = () => [
  { value: 'none', label: t('None') },
  { value: 'page', label: t('Pages') },
  { value: 'element', label: t('Headings, tables and lists') },
];

const getChunkers = () => [
  { value: 'sentence', label: t('Sentences') },
  { value: 'token', label: t('Tokens') },
  { value: 'character', label: t('Characters') },
  { value: 'semantic', label: t('Topics (semantic)') },
  { value: 'none', label: t('None') },
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
        <legend className={styles.legend}>{t('Chunking')}</legend>
        <div className={styles.presets}>
          {getPresets().map(({ key, title, what }) => (
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
            label={t('Split first by')}
            choices={getSegments()}
            value={draft.segments}
            onChange={({ target }) => set({ segments: target.value as TransformDraft['segments'] })}
          />
          <Select
            label={t('Then split by')}
            choices={getChunkers()}
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
  const isInCharacters = draft.preset === 'custom' && draft.chunker === 'character';
  const problem = (member: string) => {
    const part = draft.preset === 'custom' ? 'chunking_config.' : '';
    return error?.findFieldMessage(`transform_config.${part}${member}`);
  };
  return (
    <div className={styles.pair}>
      <TextField
        label={t(isInCharacters ? 'Chunk size in characters' : 'Chunk size in tokens')}
        inputMode="numeric"
        value={draft.size}
        onChange={({ target }) => set({ size: target.value })}
        error={problem('chunk_size')}
      />
      <TextField
        label={t(isInCharacters ? 'Overlap in characters' : 'Overlap in tokens')}
        inputMode="numeric"
        value={draft.overlap}
        onChange={({ target }) => set({ overlap: target.value })}
        error={problem('chunk_overlap')}
      />
    </div>
  );
}
