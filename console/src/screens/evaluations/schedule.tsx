import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { intervalChoices } from '../index/intervals.ts';
import { getMetricLabel } from './metrics.ts';
import { type QuestionSet, RUNS, SET } from './operations.ts';
import { readTarget, useTargets, writeTarget } from './targets.ts';

const READ = 'GET /api/v1/evaluations/question-sets/{question_set_id}/schedule';
const SAVE = 'PUT /api/v1/evaluations/question-sets/{question_set_id}/schedule';
const REMOVE = 'DELETE /api/v1/evaluations/question-sets/{question_set_id}/schedule';
const ENDPOINTS = 'GET /api/v1/beta/webhook-configs';
const HOUR = 3_600;
const DAY = 24 * HOUR;
const LIMITED = ['recall@5', 'ndcg@10', 'mrr', 'hit@5', 'said', 'cited'] as const;

type Schedule = Answer<typeof READ>;

/** Dialog in which a question set gets a schedule. */
export function EvaluationSchedule({ set, onClose }: { set: QuestionSet; onClose: () => void }) {
  // A cached schedule may be older than the saved one, and the fields keep their first values.
  const read = useApiQuery(
    READ,
    { params: { question_set_id: set.id } },
    { enabled: set.has_schedule, gcTime: 0 },
  );
  if (read.data || !set.has_schedule) {
    return <EditSchedule setId={set.id} schedule={read.data} onClose={onClose} />;
  }
  return (
    <Dialog title={t('Schedule')} onClose={onClose}>
      {read.error ? (
        <Failure error={read.error} what={t('The schedule could not be read')} />
      ) : (
        <Skeleton rows={4} />
      )}
    </Dialog>
  );
}

const findLimit = (schedule: Schedule | undefined) =>
  LIMITED.find((name) => schedule?.at_least[name] !== undefined) ?? LIMITED[0];

function useEditedSchedule(schedule: Schedule | undefined) {
  const targets = useTargets();
  const [chosen, setTarget] = useState<string>();
  const [interval, setInterval] = useState(String(schedule?.interval_seconds ?? DAY));
  const [metric, setMetric] = useState<string>(findLimit(schedule));
  const [least, setLeast] = useState(String(schedule?.at_least[findLimit(schedule)] ?? ''));
  const [endpoints, setEndpoints] = useState<ReadonlySet<string>>(
    new Set(schedule?.webhook_configuration_ids),
  );
  const [isPaused, setPaused] = useState(schedule?.paused ?? false);
  const current = schedule && writeTarget(schedule);
  const target = chosen ?? current ?? targets[0]?.value ?? '';
  const toggleEndpoint = (id: string) => {
    const after = new Set(endpoints);
    if (!after.delete(id)) after.add(id);
    setEndpoints(after);
  };
  const buildBody = () => {
    const { [findLimit(schedule)]: _, ...others } = schedule?.at_least ?? {};
    return {
      ...readTarget(target),
      interval_seconds: Number(interval),
      retrieval_parameters: schedule?.retrieval_parameters ?? null,
      answer: schedule?.answer ?? (metric === 'said' || metric === 'cited'),
      at_least: { ...others, ...(least.trim() && { [metric]: Number(least) }) },
      at_most: schedule?.at_most ?? null,
      metric: schedule?.metric ?? null,
      keep_runs: schedule?.keep_runs ?? null,
      webhook_configuration_ids: [...endpoints],
      paused: isPaused,
    };
  };
  return {
    ...{ targets, target, setTarget, interval, setInterval, metric, setMetric, least, setLeast },
    ...{ endpoints, toggleEndpoint, isPaused, setPaused, buildBody },
  };
}

interface EditProps {
  setId: string;
  schedule: Schedule | undefined;
  onClose: () => void;
}

function EditSchedule({ setId, schedule, onClose }: EditProps) {
  const edited = useEditedSchedule(schedule);
  const save = useApiMutation(SAVE, [SET, RUNS]);
  const remove = useApiMutation(REMOVE, [SET]);
  const params = { question_set_id: setId };
  const done = { onSuccess: onClose };
  return (
    <Dialog
      title={t('Schedule')}
      onClose={onClose}
      onSubmit={() => save.mutate({ params, body: edited.buildBody() }, done)}
      actions={
        <>
          {schedule && (
            <Button
              look="danger"
              icon="trash"
              writes
              busy={remove.isPending}
              onClick={() => remove.mutate({ params }, done)}
            >
              {t('Delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!edited.target} busy={save.isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <p>
        {schedule?.next_run_at
          ? t('The next run starts at {time}.', { time: moment(schedule.next_run_at) })
          : t('Runs the question set regularly, and reports when retrieval gets worse.')}
      </p>
      <Fields edited={edited} />
      {save.error && <Failure error={save.error} what={t('The schedule could not be saved')} />}
      {remove.error && <Failure error={remove.error} what={t('The schedule could not be deleted')} />}
    </Dialog>
  );
}

function Fields({ edited }: { edited: ReturnType<typeof useEditedSchedule> }) {
  const { data: configs } = useApiQuery(ENDPOINTS, { query: { page_size: 100 } }, { staleTime: 30_000 });
  const endpoints = configs?.items ?? [];
  return (
    <>
      <Select
        label={t('Index or retriever')}
        choices={edited.targets}
        value={edited.target}
        onChange={({ target }) => edited.setTarget(target.value)}
      />
      <Select
        label={t('Interval')}
        choices={intervalChoices(Number(edited.interval)).filter(({ value }) => Number(value) >= HOUR)}
        value={edited.interval}
        onChange={({ target }) => edited.setInterval(target.value)}
      />
      <Select
        label={t('Measure')}
        choices={LIMITED.map((name) => ({ value: name, label: getMetricLabel(name) }))}
        value={edited.metric}
        onChange={({ target }) => edited.setMetric(target.value)}
      />
      <TextField
        label={t('Least value of this measure')}
        hint={t('A run below this value is reported as a regression.')}
        optional
        type="number"
        min={0}
        max={1}
        step="any"
        value={edited.least}
        onChange={({ target }) => edited.setLeast(target.value)}
      />
      {endpoints.length > 0 && (
        <fieldset>
          <legend>{t('Endpoints to notify')}</legend>
          {endpoints.map(({ id, webhook_url }) => (
            <Checkbox
              key={id}
              label={webhook_url}
              checked={edited.endpoints.has(id)}
              onChange={() => edited.toggleEndpoint(id)}
            />
          ))}
        </fieldset>
      )}
      <Checkbox
        label={t('Paused')}
        checked={edited.isPaused}
        onChange={({ target }) => edited.setPaused(target.checked)}
      />
    </>
  );
}
