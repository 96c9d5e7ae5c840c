import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../../ui/field.tsx';
import { Failure } from '../../../ui/states.tsx';
import { getMetricLabel } from '../metrics.ts';
import type { QuestionSet } from '../operations.ts';
import { SWEEPS } from './operations.ts';

const METRICS = ['ndcg@10', 'recall@5', 'mrr', 'hit@1', 'hit@5', 'latency_ms'] as const;
const CHUNK_SIZES = [256, 512, 1024, 2048];
const DEFAULT_BUDGET = 2_000;

/** Starts a search for better settings of an index, and opens it. */
export default function NewSweep({ set, onClose }: { set: QuestionSet; onClose: () => void }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const { data: indexes = [] } = useApiQuery('GET /api/v1/pipelines', {}, { staleTime: 30_000 });
  const [chosen, setChosen] = useState<string>();
  const [metric, setMetric] = useState<(typeof METRICS)[number]>('ndcg@10');
  const [budget, setBudget] = useState(String(DEFAULT_BUDGET));
  const [sizes, setSizes] = useState<ReadonlySet<number>>(new Set());
  const create = useApiMutation('POST /api/v1/evaluations/sweeps', [SWEEPS]);
  const pipelineId = chosen ?? indexes[0]?.id;
  const toggle = (size: number) => {
    const after = new Set(sizes);
    if (!after.delete(size)) after.add(size);
    setSizes(after);
  };
  const submit = () => {
    if (!pipelineId) return;
    const body = {
      ...{ question_set_id: set.id, pipeline_id: pipelineId, metric, budget: Number(budget) },
      ...(sizes.size > 0 && { chunk_sizes: [...sizes] }),
    };
    create.mutate({ body }, { onSuccess: ({ id }) => navigate(pathTo(`/evaluations/sweeps/${id}`)) });
  };
  return (
    <Dialog
      title={t('Search for better settings')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!pipelineId} busy={create.isPending}>
            {t('Search')}
          </Button>
        </>
      }
    >
      <p>
        {t(
          'Tries weights of dense search and reranking with one half of the questions, and measures the best settings with the other half. The index does not change.',
        )}
      </p>
      <Select
        label={t('Index')}
        choices={indexes.map(({ id, name }) => ({ value: id, label: name }))}
        value={pipelineId ?? ''}
        onChange={({ target }) => setChosen(target.value)}
      />
      <Select
        label={t('Measure')}
        choices={METRICS.map((name) => ({ value: name, label: getMetricLabel(name) }))}
        value={metric}
        onChange={({ target }) => setMetric(METRICS.find((name) => name === target.value) ?? metric)}
      />
      <fieldset>
        <legend>{t('Other chunk sizes')}</legend>
        {CHUNK_SIZES.map((size) => (
          <Checkbox key={size} label={String(size)} checked={sizes.has(size)} onChange={() => toggle(size)} />
        ))}
      </fieldset>
      <TextField
        label={t('Maximum number of searches')}
        type="number"
        min={1}
        max={20_000}
        value={budget}
        error={create.error?.findFieldMessage('budget')}
        onChange={({ target }) => setBudget(target.value)}
      />
      {create.error && <Failure error={create.error} what={t('The search could not be started')} />}
    </Dialog>
  );
}
