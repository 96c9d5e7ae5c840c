import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation } from '../../../api/hooks.ts';
import type { Body } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Failure } from '../../../ui/states.tsx';
import { ACCURACY_RUNS, type TruthSet } from './operations.ts';
import { SavedConfiguration } from './saved-configuration.tsx';

const CREATE = 'POST /api/v1/evaluations/accuracy-runs';
type NewRun = Body<typeof CREATE>;

/** Starts a run of a truth set with a saved configuration, or with one that is entered as JSON. */
export function NewAccuracyRun({ set, onClose }: { set: TruthSet; onClose: () => void }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [saved, setSaved] = useState('');
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const create = useApiMutation(CREATE, [ACCURACY_RUNS]);
  const submit = () => {
    const configuration = saved ? { configuration_id: saved } : parse(set.kind, text);
    if (typeof configuration === 'string') return setProblem(configuration);
    setProblem(undefined);
    create.mutate(
      { body: { truth_set_id: set.id, ...configuration, ...(name.trim() && { name: name.trim() }) } },
      { onSuccess: (run) => navigate(pathTo(`/evaluations/accuracy-runs/${run.id}`)) },
    );
  };
  return (
    <Dialog
      title={t('New run')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            type="submit"
            writes
            disabled={!saved && !text.trim()}
            busy={create.isPending}
          >
            {t('Run')}
          </Button>
        </>
      }
    >
      <SavedConfiguration kind={set.kind} value={saved} none={t('Enter as JSON')} onChoose={setSaved} />
      {!saved && (
        <TextArea
          code
          rows={8}
          label={t('Configuration')}
          hint={
            set.kind === 'extraction'
              ? t('JSON with data_schema and the options of an extraction.')
              : t('JSON with the rules of a classification.')
          }
          value={text}
          error={problem}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <TextField
        label={t('Name')}
        optional
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      {create.error && <Failure error={create.error} what={t('The run could not be started')} />}
    </Dialog>
  );
}

/** Returns the member of the request with the configuration, or a message if the text is no JSON. */
function parse(kind: TruthSet['kind'], text: string): Partial<NewRun> | string {
  try {
    const configuration: unknown = JSON.parse(text);
    return kind === 'extraction'
      ? { extract_configuration: configuration as NewRun['extract_configuration'] }
      : { classify_configuration: configuration as NewRun['classify_configuration'] };
  } catch (failure) {
    return t('This is not valid JSON: {message}', { message: (failure as Error).message });
  }
}
