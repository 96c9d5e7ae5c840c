import type { ReactNode } from 'react';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { PresetSelect } from '../presets/preset-select.tsx';
import { areSameParameters, listSetParameters, usePresets } from '../presets/presets.ts';
import type { Corpus } from './corpus.ts';
import { Panel } from './panel.tsx';
import {
  type ChatParameters,
  countChangedParameters,
  dropUnset,
  INDEX_DEFAULTS,
  type LanguageParameters,
  type RetrievalParameters,
} from './parameters.ts';
import styles from './parameters-panel.module.css';

const getModes = () => [
  { value: '', label: t('Index default') },
  { value: 'chunks', label: t('Chunks') },
  { value: 'auto_routed', label: t('Chosen for each question') },
  { value: 'files_via_content', label: t('Whole files, by content') },
  { value: 'files_via_metadata', label: t('Whole files, by metadata') },
];
const getYesNo = () => [
  { value: '', label: t('Index default') },
  { value: 'true', label: t('Yes') },
  { value: 'false', label: t('No') },
];

/** Panel for the parameters of the next questions. Empty fields use the defaults of the index. */
export default function ParametersPanel({
  corpus,
  parameters,
  onChange,
  onClose,
}: {
  corpus: Corpus;
  parameters: ChatParameters;
  onChange: (parameters: ChatParameters) => void;
  onClose: () => void;
}) {
  const { retrieval_parameters: retrieval, llm_parameters: llm } = parameters;
  const presets = usePresets(corpus.id, corpus.kind === 'index').data ?? [];
  const preset = presets.find((each) => areSameParameters(each.parameters, retrieval));
  const setRetrieval = (some: Partial<RetrievalParameters>) =>
    onChange({ ...parameters, retrieval_parameters: dropUnset({ ...retrieval, ...some }) });
  const setLlm = (some: Partial<LanguageParameters>) =>
    onChange({ ...parameters, llm_parameters: dropUnset({ ...llm, ...some }) });
  const number = (
    label: string,
    value: number | null | undefined,
    set: (value: number | undefined) => void,
    limits: { min: number; max: number; step?: number },
    hint?: ReactNode,
  ) => (
    <TextField
      label={label}
      type="number"
      {...limits}
      hint={hint}
      placeholder={t('Index default')}
      value={value ?? ''}
      onChange={({ target }) => set(target.value === '' ? undefined : target.valueAsNumber)}
    />
  );
  return (
    <Panel title={t('Parameters')} onClose={onClose}>
      <p className={styles.lead}>
        {t('These parameters apply to your next questions and to regenerated answers.')}
      </p>
      <fieldset className={styles.group}>
        <legend>{t('Search')}</legend>
        {presets.length > 0 && (
          <PresetSelect
            presets={presets}
            chosen={preset?.id}
            isChanged={!preset && Object.keys(retrieval).length > 0}
            onChoose={(next) => {
              const chosen = Object.fromEntries(listSetParameters(next?.parameters ?? {}));
              onChange({ ...parameters, retrieval_parameters: chosen });
            }}
          />
        )}
        <Select
          label={t('Mode')}
          choices={getModes()}
          value={retrieval.retrieval_mode ?? ''}
          onChange={({ target }) =>
            setRetrieval({
              retrieval_mode: (target.value || undefined) as RetrievalParameters['retrieval_mode'],
            })
          }
        />
        {number(
          t('Keyword ↔ semantic weight'),
          retrieval.alpha,
          (alpha) => setRetrieval({ alpha }),
          { min: 0, max: 1, step: 0.05 },
          t('0 for keyword search only, 1 for semantic search only'),
        )}
        {number(
          t('Semantic top-k'),
          retrieval.dense_similarity_top_k,
          (k) => setRetrieval({ dense_similarity_top_k: k }),
          { min: 1, max: 100 },
        )}
        {number(
          t('Keyword top-k'),
          retrieval.sparse_similarity_top_k,
          (k) => setRetrieval({ sparse_similarity_top_k: k }),
          { min: 1, max: 100 },
        )}
        <Select
          label={t('Rerank')}
          choices={getYesNo()}
          value={retrieval.enable_reranking == null ? '' : String(retrieval.enable_reranking)}
          onChange={({ target }) =>
            setRetrieval({ enable_reranking: target.value === '' ? undefined : target.value === 'true' })
          }
        />
        {number(
          t('Passages used for the answer'),
          retrieval.rerank_top_n,
          (n) => setRetrieval({ rerank_top_n: n }),
          {
            min: 1,
            max: 100,
          },
        )}
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{t('Answer')}</legend>
        <TextArea
          label={t('System prompt')}
          maxLength={3000}
          value={llm.system_prompt ?? ''}
          onChange={({ target }) => setLlm({ system_prompt: target.value })}
        />
        {number(t('Temperature'), llm.temperature, (temperature) => setLlm({ temperature }), {
          min: 0,
          max: 2,
          step: 0.1,
        })}
        <Checkbox
          label={t('Citations')}
          checked={llm.use_citation ?? true}
          onChange={({ target }) => setLlm({ use_citation: target.checked ? undefined : false })}
        />
        <Checkbox
          label={t('Reason step by step')}
          checked={llm.use_chain_of_thought_reasoning ?? false}
          onChange={({ target }) => setLlm({ use_chain_of_thought_reasoning: target.checked || undefined })}
        />
      </fieldset>
      <Button
        icon="retry"
        disabled={countChangedParameters(parameters) === 0}
        onClick={() => onChange(INDEX_DEFAULTS)}
      >
        {t('Reset')}
      </Button>
    </Panel>
  );
}
