import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { type QuestionSet, RUNS } from './operations.ts';
import { readTarget, useTargets } from './targets.ts';

const CACHED = { staleTime: 30_000 };
const DEFAULT = '';

/** Starts a run of a question set with an index or retriever, and opens it. */
export function NewRun({ set, onClose }: { set: QuestionSet; onClose: () => void }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const targets = useTargets();
  const [chosen, setChosen] = useState<string>();
  const [preset, setPreset] = useState(DEFAULT);
  const [name, setName] = useState('');
  const [hasAnswers, setAnswers] = useState(false);
  const create = useApiMutation('POST /api/v1/evaluations/runs', [RUNS]);
  const target = chosen ?? targets[0]?.value ?? '';
  const evaluated = readTarget(target);
  const presets = usePresets(evaluated && 'pipeline_id' in evaluated ? evaluated.pipeline_id : undefined);
  const parameters = presets.find((each) => each.id === preset)?.parameters;
  const submit = () =>
    create.mutate(
      {
        body: {
          question_set_id: set.id,
          ...evaluated,
          ...(name.trim() && { name: name.trim() }),
          ...(parameters && { retrieval_parameters: parameters }),
          answer: hasAnswers,
        },
      },
      { onSuccess: (run) => navigate(pathTo(`/evaluations/runs/${run.id}`)) },
    );
  return (
    <Dialog
      title={t('New run')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!evaluated} busy={create.isPending}>
            {t('Run')}
          </Button>
        </>
      }
    >
      <Select
        label={t('Index or retriever')}
        choices={targets}
        value={target}
        onChange={({ target: field }) => {
          setChosen(field.value);
          setPreset(DEFAULT);
        }}
      />
      {presets.length > 0 && (
        <Select
          label={t('Parameters')}
          choices={[
            { value: DEFAULT, label: t('Index default') },
            ...presets.map((each) => ({ value: each.id, label: each.name })),
          ]}
          value={preset}
          onChange={({ target: field }) => setPreset(field.value)}
        />
      )}
      <TextField
        label={t('Name')}
        optional
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ target: field }) => setName(field.value)}
      />
      <Checkbox
        label={t('Also answer the questions and measure the answers')}
        checked={hasAnswers}
        onChange={({ target: field }) => setAnswers(field.checked)}
      />
      {create.error && <Failure error={create.error} what={t('The run could not be started')} />}
    </Dialog>
  );
}

function usePresets(pipelineId: string | undefined) {
  const { data = [] } = useApiQuery(
    'GET /api/v2/pipelines/{pipeline_id}/retrieval-presets',
    { params: { pipeline_id: pipelineId ?? '' } },
    { ...CACHED, enabled: pipelineId !== undefined },
  );
  return pipelineId === undefined ? [] : data;
}
