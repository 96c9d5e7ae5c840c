import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectId } from '../../shell/project.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { useKept } from '../../ui/use-kept.ts';
import { FilePicker } from '../jobs/file-picker.tsx';
import styles from '../jobs/jobs.module.css';
import { useFormAddress } from '../jobs/use-form-address.ts';
import { EMPTY_RULE, type Rule, RulesEditor } from './rules-editor.tsx';

const EMPTY_RULES: Rule[] = [EMPTY_RULE];

/** Form for a classification job. It can start with the rules of an earlier job. */
export function NewClassification() {
  const [search, setParameter] = useFormAddress();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const file = search.get('file') || undefined;
  const from = search.get('from') ?? '';
  const project = useProjectId();
  // Kept, so that the rules are still there after the Back button or another page.
  const [rules, setRules] = useKept(`classification-rules ${project}`, EMPTY_RULES);
  const [missing, setMissing] = useState<string>();
  const run = useApiMutation('POST /api/v2/classify', ['GET /api/v2/classify']);
  const before = useApiQuery(
    'GET /api/v2/classify/{job_id}',
    { params: { job_id: from } },
    { enabled: from !== '' },
  );
  const old = from === '' ? undefined : before.data?.configuration.rules;
  // Removes the earlier job from the address, because the Back button would otherwise replace the changed form
  // with its rules again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: applied once, when the earlier job has loaded
  useEffect(() => {
    if (!old) return;
    setRules(old);
    setParameter('from', '');
  }, [old]);
  const choose = (id: string) => {
    setMissing(undefined);
    setParameter('file', id);
  };
  const begin = async () => {
    if (!file) {
      setMissing(t('Select a document first.'));
      return;
    }
    const made = await run.mutateAsync({ body: { file_input: file, configuration: { rules } } });
    navigate(pathTo(`/classify/${made.id}`));
  };
  const findError = (index: number, member: keyof Rule) =>
    run.error?.findFieldMessage(`configuration.rules.${index}.${member}`);
  return (
    <>
      <Card title={t('New classification')}>
        <FilePicker value={file} onChoose={choose} error={missing} />
      </Card>
      <RulesEditor rules={rules} onChange={setRules} findError={findError} />
      {run.error && <Failure error={run.error} what={t('The classification could not be started')} />}
      <div className={styles.buttons}>
        <Button
          look="primary"
          writes
          icon="play"
          busy={run.isPending}
          onClick={() => void begin().catch(() => {})}
        >
          {t('Classify')}
        </Button>
      </div>
    </>
  );
}
