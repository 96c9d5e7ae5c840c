import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { FilePicker } from '../jobs/file-picker.tsx';
import styles from '../jobs/jobs.module.css';
import { ParameterForm } from './parameter-form.tsx';
import { describeParameters, type Parameters, parseParameters, splitSecrets } from './parameters.ts';

/**
 * Form for a parse job. The document and the parameters are part of the page's address, except for secrets. With
 * `with`, the new job is compared with an earlier one.
 */
export function NewParse() {
  const [search, setSearch] = useSearchParams();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const file = search.get('file') || undefined;
  const compared = search.get('with') || undefined;
  const [secret, setSecret] = useState<Parameters>({});
  const [missing, setMissing] = useState<string>();
  const run = useApiMutation('POST /api/v2/parse', ['GET /api/v2/parse']);
  const change = (name: string, value: string) =>
    setSearch(
      (known) => {
        const next = new URLSearchParams(known);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const [open, setOpen] = useDraft(search.get('parameters') ?? '', (text) => change('parameters', text));
  const parameters = { ...parseParameters(open), ...secret };
  const set = (next: Parameters) => {
    const split = splitSecrets(next);
    setSecret(split.secret);
    setOpen(Object.keys(split.open).length > 0 ? JSON.stringify(split.open) : '');
  };
  const choose = (id: string) => {
    setMissing(undefined);
    change('file', id);
  };
  const begin = async () => {
    if (!file) {
      setMissing(t('Select a document first.'));
      return;
    }
    const made = await run.mutateAsync({ body: { file_id: file, configuration: parameters } });
    navigate(pathTo(`/parse/${made.id}`, { with: compared }));
  };
  return (
    <>
      <Card title={t('New parse')}>
        {compared && <ComparedWith job={compared} />}
        <FilePicker value={file} onChoose={choose} error={missing} />
      </Card>
      <Card title={t('Parameters')}>
        <ParameterForm
          parameters={parameters}
          onChange={set}
          findError={(name) => run.error?.findFieldMessage(`configuration.${name}`)}
        />
      </Card>
      {run.error && <Failure error={run.error} what={t('The parse job could not be started')} />}
      <div className={styles.buttons}>
        <Button
          look="primary"
          writes
          icon="play"
          busy={run.isPending}
          onClick={() => void begin().catch(() => {})}
        >
          {t('Parse')}
        </Button>
      </div>
    </>
  );
}

/** Says with which job the result will be compared. */
function ComparedWith({ job }: { job: string }) {
  const read = useApiQuery('GET /api/v2/parse/{job_id}', { params: { job_id: job } });
  if (!read.data) return null;
  const settings = describeParameters(read.data.configuration).join(', ') || t('default parameters');
  return (
    <p className={styles.note}>
      {t('The result is compared with an earlier parse ({settings}).', { settings })}
    </p>
  );
}
