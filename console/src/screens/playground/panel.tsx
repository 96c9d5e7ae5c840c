import { DEFAULTS } from '../../../../src/retrieval-contract/defaults.ts';
import type { ApiError } from '../../api/errors.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Select, TextField } from '../../ui/field.tsx';
import { JsonField } from '../../ui/json-field.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { FilterEditor } from './filters.tsx';
import styles from './panel.module.css';
import type { Name, Preset, Settings } from './settings.ts';

const MODES = {
  chunks: 'Passages',
  files_via_content: 'Whole files, by content',
  files_via_metadata: 'Whole files, by name and metadata',
  auto_routed: 'Chosen for each query',
} as const satisfies Record<NonNullable<Settings['retrieval_mode']>, string>;

export interface PanelProps {
  settings: Settings;
  preset: Preset;
  /** What the service says of the settings. */
  error: ApiError | null;
  /** Alpha as the last answer had it. */
  alphaInForce: number | undefined;
  onSet: (name: Name, value: unknown) => void;
}

/** How one column searches. What is left empty is as the index has it, which is shown in grey. */
export function Panel({ settings, preset, error, alphaInForce, onSet }: PanelProps) {
  const own = <Key extends Name>(name: Key) => preset[name] ?? DEFAULTS[name];
  const number = (name: Name, label: string, hint: string, step: string) => (
    <NumberField
      label={label}
      hint={hint}
      step={step}
      ghost={String(own(name))}
      value={settings[name] as number | undefined}
      error={error?.of(name)}
      onSet={(value) => onSet(name, value)}
    />
  );
  const toggle = (name: Name, label: string) => (
    <Select
      label={label}
      value={settings[name] === undefined ? '' : String(settings[name])}
      choices={[
        { value: '', label: own(name) ? 'Yes (default)' : 'No (default)' },
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ]}
      onChange={({ target: { value } }) => onSet(name, value === '' ? undefined : value === 'true')}
    />
  );
  const mode = settings.retrieval_mode ?? own('retrieval_mode') ?? 'chunks';
  const isReranked = settings.enable_reranking ?? own('enable_reranking');
  return (
    <div className={styles.fields}>
      <Select
        label="What is found"
        value={settings.retrieval_mode ?? ''}
        choices={[
          { value: '', label: `Default: ${MODES[own('retrieval_mode') ?? 'chunks']}` },
          ...Object.entries(MODES).map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ target: { value } }) => onSet('retrieval_mode', value || undefined)}
      />
      <Alpha
        value={settings.alpha ?? undefined}
        own={own('alpha') ?? undefined}
        inForce={alphaInForce}
        error={error?.of('alpha')}
        onSet={(value) => onSet('alpha', value)}
      />
      <div className={styles.pair}>
        {number('sparse_similarity_top_k', 'By words', 'Passages at most', '1')}
        {number('dense_similarity_top_k', 'By meaning', 'Passages at most', '1')}
      </div>
      {number('dense_similarity_cutoff', 'Cut-off', 'Least similarity of meaning, 0 to 1', '0.05')}
      <div className={styles.pair}>
        {toggle('enable_reranking', 'Reranking')}
        {isReranked && number('rerank_top_n', 'Kept', 'After reranking', '1')}
      </div>
      {mode !== 'chunks' && number('files_top_k', 'Files', 'At most, 1 to 5', '1')}
      <div className={styles.pair}>
        {toggle('retrieve_page_screenshot_nodes', 'Page pictures')}
        {toggle('retrieve_page_figure_nodes', 'Figures')}
      </div>
      <FilterEditor
        value={settings.search_filters ?? undefined}
        own={preset.search_filters ?? undefined}
        error={error}
        onSet={(value) => onSet('search_filters', value)}
      />
      <details>
        <summary>Filters read from the query</summary>
        <JsonField
          label="Schema of metadata"
          hint="A JSON Schema by member, as {&quot;year&quot;: {&quot;type&quot;: &quot;integer&quot;}}. What the query says of them becomes a filter."
          value={settings.search_filters_inference_schema ?? undefined}
          ghost={preset.search_filters_inference_schema ?? undefined}
          error={error?.of('search_filters_inference_schema')}
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
  ghost: string;
  value: number | undefined;
  error: string | undefined;
  onSet: (value: number | string | undefined) => void;
}

function NumberField({ label, hint, step, ghost, value, error, onSet }: NumberProps) {
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
      placeholder={ghost}
      value={draft}
      error={error}
      onChange={({ target }) => change(target.value)}
    />
  );
}

interface AlphaProps {
  value: number | undefined;
  own: number | undefined;
  inForce: number | undefined;
  error: string | undefined;
  onSet: (value: number | undefined) => void;
}

/** Words on the left, meaning on the right. */
function Alpha({ value, own, inForce, error, onSet }: AlphaProps) {
  const [draft, change] = useDraft(value, onSet);
  const shown = draft ?? own ?? inForce ?? 0.5;
  const state =
    draft !== undefined
      ? String(draft)
      : own !== undefined
        ? `default: ${own}`
        : inForce !== undefined
          ? `automatic: ${inForce}`
          : 'automatic';
  return (
    <div>
      <Field label="Words or meaning (alpha)" error={error}>
        {(wired) => (
          <input
            {...wired}
            type="range"
            className={draft === undefined ? `${styles.range} ${styles.ghost}` : styles.range}
            min={0}
            max={1}
            step={0.05}
            value={shown}
            aria-valuetext={`${shown}: ${Math.round((1 - shown) * 100)} % words, ${Math.round(shown * 100)} % meaning`}
            onChange={({ target }) => change(Number(target.value))}
          />
        )}
      </Field>
      <div className={styles.ends}>
        <span>Words</span>
        <span>
          {state}
          {draft !== undefined && (
            <Button look="quiet" small aria-label="Reset alpha" onClick={() => onSet(undefined)}>
              Reset
            </Button>
          )}
        </span>
        <span>Meaning</span>
      </div>
    </div>
  );
}
