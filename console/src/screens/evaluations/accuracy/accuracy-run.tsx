import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { buildRequest } from '../../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Facts, Figures } from '../../../ui/facts.tsx';
import { moment } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Page } from '../../../ui/page.tsx';
import { Loaded, Progress } from '../../../ui/states.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { isUnderWay, pollWhile } from '../../jobs/polling.ts';
import { AccuracyComparison } from './accuracy-comparison.tsx';
import { AccuracyReport } from './accuracy-report.tsx';
import { AccuracyResults } from './accuracy-results.tsx';
import { ACCURACY_METRICS, formatAccuracy, getAccuracyLabel } from './labels.ts';
import { ACCURACY_RUN, ACCURACY_RUNS, type AccuracyRun } from './operations.ts';

const getTabs = (kind: AccuracyRun['kind']) =>
  [
    { key: 'report', label: kind === 'extraction' ? t('By field') : t('By type') },
    { key: 'results', label: t('Files') },
    { key: 'compare', label: t('Compare') },
  ] as const;
type Tab = ReturnType<typeof getTabs>[number]['key'];

/** Page of an accuracy run. */
export default function AccuracyRunPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { run_id: id } };
  const read = useApiQuery(ACCURACY_RUN, input, {
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false),
  });
  const run = read.data;
  return (
    <Page
      title={run?.name ?? t('Run')}
      badge={run && <StatusBadge status={run.status} />}
      breadcrumbs={[{ to: pathTo('/evaluations'), label: t('Evaluations') }]}
      calls={[
        { what: t('Read the run'), ...buildRequest(ACCURACY_RUN, input) },
        {
          what: t('Read its measures'),
          ...buildRequest('GET /api/v1/evaluations/accuracy-runs/{run_id}/report', input),
        },
      ]}
      actions={run && <Actions run={run} />}
    >
      <Loaded read={read} what={t('The run could not be read')}>
        {(found) => <RunDetails key={found.id} run={found} />}
      </Loaded>
    </Page>
  );
}

function RunDetails({ run }: { run: AccuracyRun }) {
  const pathTo = useProjectPath();
  const [tab, setTab] = useState<Tab>('report');
  const metrics = run.summary?.metrics ?? {};
  const { completed_count: completed = 0, failed_count: failed = 0 } = run.summary ?? {};
  return (
    <div className={layout.stack}>
      <Facts
        facts={[
          [
            t('Truth set'),
            <Link key="set" to={pathTo(`/evaluations/truth-sets/${run.truth_set_id}`)}>
              {t('{name}, version {version}', {
                name: run.truth_set_name,
                version: run.truth_set_version,
              })}
            </Link>,
          ],
          [t('Created'), moment(run.created_at)],
          ...(run.error_message ? [[t('Error'), run.error_message] as [string, string]] : []),
        ]}
      />
      {(isUnderWay(run.status) || failed > 0) && (
        <Progress
          label={t('Progress of {name}', { name: run.name })}
          done={completed}
          failed={failed}
          total={run.file_count}
        >
          {t('{done} of {total} files', { done: completed + failed, total: run.file_count })}
        </Progress>
      )}
      <Figures
        figures={ACCURACY_METRICS.filter((name) => metrics[name] !== undefined).map((name) => [
          getAccuracyLabel(name),
          formatAccuracy(metrics[name]),
        ])}
      />
      <Tabs label={t('Parts of the run')} tabs={getTabs(run.kind)} chosen={tab} onChoose={setTab}>
        {tab === 'report' && <AccuracyReport run={run} />}
        {tab === 'results' && <AccuracyResults run={run} />}
        {tab === 'compare' && <AccuracyComparison run={run} />}
      </Tabs>
    </div>
  );
}

function Actions({ run }: { run: AccuracyRun }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const cancel = useApiMutation('POST /api/v1/evaluations/accuracy-runs/{run_id}/cancel', [
    ACCURACY_RUN,
    ACCURACY_RUNS,
  ]);
  const remove = useApiMutation('DELETE /api/v1/evaluations/accuracy-runs/{run_id}', [ACCURACY_RUNS]);
  const input = { params: { run_id: run.id } };
  const deleteRun = async () => {
    await remove.mutateAsync(input);
    navigate(pathTo('/evaluations'));
  };
  return (
    <>
      {isUnderWay(run.status) && (
        <Button icon="stop" writes busy={cancel.isPending} onClick={() => cancel.mutate(input)}>
          {t('Cancel')}
        </Button>
      )}
      <Button icon="trash" look="danger" onClick={() => setDeleting(true)}>
        {t('Delete')}
      </Button>
      {isDeleting && (
        <Confirm
          title={t('Delete {name}?', { name: run.name })}
          action={t('Delete')}
          onConfirm={deleteRun}
          onClose={() => setDeleting(false)}
        >
          {t('The results of this run are deleted. The truth set is kept.')}
        </Confirm>
      )}
    </>
  );
}
