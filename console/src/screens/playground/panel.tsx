import { DEFAULTS } from '../../../../src/retrieval-contract/defaults.ts';
import type { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, TextField } from '../../ui/field.tsx';
import { percent } from '../../ui/format.ts';
import { JsonField } from '../../ui/json-field.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { FilterEditor } from './filters.tsx';
import styles from './panel.module.css';
import type { Name, Preset, Settings } from './settings.ts';

const getModes = () =>
  ({
    chunks: t('Passages'),
    files_via_content: t('Whole files, by content'),
    files_via_metadata: t('Whole files, by name and metadata'),
    auto_routed: t('Chosen for each query'),
  }) as const satisfies Record<NonNullable<Settings['retrieval_mode']>, string>;

const RERANKING: readonly Name[] = ['enable_reranking', 'rerank_top_n'];

export interface PanelProps {
  /** Ids of the searched indexes, whose metadata keys are suggested for filters. */
  indexIds: readonly string[];
  settings: Settings;
  /** Defaults of the index. Absent if several indexes are searched, because each has its own defaults. */
  preset?: Preset;
  /** Error that the service returned for the parameters of the last search. */
  error: ApiError | null;
  /** Weight of semantic against keyword search that the last search used, between 0 and 1. */
  effectiveAlpha: number | undefined;
  onSet: (name: Name, value: unknown) => void;
}

/** Parameters of one column. Empty fields show the default of the index as a placeholder. */
export function Panel({ indexIds, settings, preset, error, effectiveAlpha, onSet }: PanelProps) {
  const getIndexValue = <Key extends Name>(name: Key) => preset?.[name] ?? DEFAULTS[name];
  // Reranking runs once for the results of all indexes, so the defaults of single indexes do not matter.
  const isKnown = (name: Name) => preset !== undefined || RERANKING.includes(name);
  const number = (name: Name, label: string, hint: string, step: string) => (
    <NumberField
      label={label}
      hint={hint}
      step={step}
      placeholder={isKnown(name) ? String(getIndexValue(name)) : t('Index default')}
      value={settings[name] as number | undefined}
      error={error?.findFieldMessage(name)}
      onSet={(value) => onSet(name, value)}
    />
  );
  const toggle = (name: Name, label: string) => (
    <Select
      label={label}
      value={settings[name] === undefined ? '' : String(settings[name])}
      choices={[
        {
          value: '',
          label: !isKnown(name)
            ? t('Index default')
            : getIndexValue(name)
              ? t('Yes (default)')
              : t('No (default)'),
        },
        { value: 'true', label: t('Yes') },
        { value: 'false', label: t('No') },
      ]}
      onChange={({ target: { value } }) => onSet(name, value === '' ? undefined : value === 'true')}
    />
  );
  const mode = settings.retrieval_mode ?? getIndexValue('retrieval_mode') ?? 'chunks';
  const isReranked = settings.enable_reranking ?? getIndexValue('enable_reranking');
  return (
    <div className={styles.fields}>
      <Select
        label={t('Mode')}
        value={settings.retrieval_mode ?? ''}
        choices={[
          {
            value: '',
            label: preset
              ? t('Default: {value}', { value: getModes()[getIndexValue('retrieval_mode') ?? 'chunks'] })
              : t('Index default'),
          },
          ...Object.entries(getModes()).map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ target: { value } }) => onSet('retrieval_mode', value || undefined)}
      />
      <Alpha
        value={settings.alpha ?? undefined}
        indexValue={getIndexValue('alpha') ?? undefined}
        effective={effectiveAlpha}
        error={error?.findFieldMessage('alpha')}
        onSet={(value) => onSet('alpha', value)}
      />
      <div className={styles.pair}>
        {number('sparse_similarity_top_k', t('Keyword top-k'), t('Maximum number of passages'), '1')}
        {number('dense_similarity_top_k', t('Semantic top-k'), t('Maximum number of passages'), '1')}
      </div>
      {number('dense_similarity_cutoff', t('Minimum similarity'), t('From 0 to 1'), '0.05')}
      <div className={styles.pair}>
        {toggle('enable_reranking', t('Reranking'))}
        {isReranked && number('rerank_top_n', t('Rerank top n'), t('Passages kept after reranking'), '1')}
      </div>
      {(mode !== 'chunks' || !preset) && number('files_top_k', t('Max files'), t('From 1 to 5'), '1')}
      <div className={styles.pair}>
        {toggle('retrieve_page_screenshot_nodes', t('Page images'))}
        {toggle('retrieve_page_figure_nodes', t('Figures'))}
      </div>
      <FilterEditor
        indexIds={indexIds}
        value={settings.search_filters ?? undefined}
        indexFilters={preset?.search_filters ?? undefined}
        error={error}
        onSet={(value) => onSet('search_filters', value)}
      />
      <details>
        <summary>{t('Filter inference')}</summary>
        <JsonField
          label={t('Metadata schema')}
          hint={t(
            'JSON Schema per metadata key, such as \'{\'"year": \'{\'"type": "integer"\'}}\'. Values found in the query become filters.',
          )}
          value={settings.search_filters_inference_schema ?? undefined}
          placeholder={preset?.search_filters_inference_schema ?? undefined}
          error={error?.findFieldMessage('search_filters_inference_schema')}
          onSet={(value) => onSet('search_filters_inference_schema', value)}
        />
      </details>
    </div>
  );
}

interface NumberProps {
  label: string;
  hint: string;
  step: string;
  placeholder: string;
  value: number | undefined;
  error: string | undefined;
  onSet: (value: number | string | undefined) => void;
}

function NumberField({ label, hint, step, placeholder, value, error, onSet }: NumberProps) {
  const [draft, change] = useDraft(value === undefined ? '' : String(value), (text) =>
    onSet(text === '' ? undefined : Number(text)),
  );
  return (
    <TextField
      label={label}
      hint={hint}
      type="number"
      min={0}
      step={step}
      placeholder={placeholder}
      value={draft}
      error={error}
      onChange={({ target }) => change(target.value)}
    />
  );
}

interface AlphaProps {
  value: number | undefined;
  indexValue: number | undefined;
  effective: number | undefined;
  error: string | undefined;
  onSet: (value: number | undefined) => void;
}

/** Slider from keyword search on the left to semantic search on the right. */
function Alpha({ value, indexValue, effective, error, onSet }: AlphaProps) {
  const [draft, change] = useDraft(value, onSet);
  const shown = draft ?? indexValue ?? effective ?? 0.5;
  const state =
    draft !== undefined
      ? String(draft)
      : indexValue !== undefined
        ? t('default: {value}', { value: indexValue })
        : effective !== undefined
          ? t('automatic: {value}', { value: effective })
          : t('automatic');
  return (
    <div>
      <Field label={t('Keyword ↔ semantic weight')} error={error}>
        {(controlProps) => (
          <input
            {...controlProps}
            type="range"
            className={draft === undefined ? `${styles.range} ${styles.placeholder}` : styles.range}
            min={0}
            max={1}
            step={0.05}
            value={shown}
            aria-valuetext={t('{alpha}: {keyword} keyword, {semantic} semantic', {
              alpha: shown,
              keyword: percent(1 - shown),
              semantic: percent(shown),
            })}
            onChange={({ target }) => change(Number(target.value))}
          />
        )}
      </Field>
      <div className={styles.ends}>
        <span>{t('Keyword')}</span>
        <span>
          {state}
          {draft !== undefined && (
            <Button look="quiet" small aria-label={t('Reset alpha')} onClick={() => onSet(undefined)}>
              {t('Reset')}
            </Button>
          )}
        </span>
        <span>{t('Semantic')}</span>
      </div>
    </div>
  );
}
