import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Facts, Figures } from '../../ui/facts.tsx';
import { moment } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded, Progress } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { formatMetric, getMetricLabel, MAIN_METRICS, METRIC_NAMES } from './metrics.ts';
import { RUN, RUNS, type Run } from './operations.ts';
import { Breakdown } from './run-breakdown.tsx';
import { RunComparison } from './run-comparison.tsx';
import { RunResults } from './run-results.tsx';

const getTabs = () =>
  [
    { key: 'results', label: t('Questions') },
    { key: 'groups', label: t('By tag and document') },
    { key: 'compare', label: t('Compare') },
    { key: 'all', label: t('All measures') },
  ] as const;
type Tab = ReturnType<typeof getTabs>[number]['key'];

/** Page of an evaluation run. */
export default function RunPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { run_id: id } };
  const read = useApiQuery(RUN, input, {
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false),
  });
  const run = read.data;
  return (
    <Page
      title={run?.name ?? t('Run')}
      badge={run && <StatusBadge status={run.status} />}
      breadcrumbs={[{ to: pathTo('/evaluations'), label: t('Evaluations') }]}
      calls={[
        { what: t('Read the run'), ...buildRequest(RUN, input) },
        {
          what: t('List its results'),
          ...buildRequest('GET /api/v1/evaluations/runs/{run_id}/results', input),
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

function RunDetails({ run }: { run: Run }) {
  const pathTo = useProjectPath();
  const [tab, setTab] = useState<Tab>('results');
  const metrics = run.summary?.metrics ?? {};
  const { completed_count: completed = 0, failed_count: failed = 0 } = run.summary ?? {};
  return (
    <div className={layout.stack}>
      <Facts
        facts={[
          [
            t('Question set'),
            <Link key="set" to={pathTo(`/evaluations/sets/${run.question_set_id}`)}>
              {t('{name}, version {version}', {
                name: run.question_set_name,
                version: run.question_set_version,
              })}
            </Link>,
          ],
          [t('Searched'), run.target_name],
          [t('Created'), moment(run.created_at)],
          ...(run.error_message ? [[t('Error'), run.error_message] as [string, string]] : []),
        ]}
      />
      {run.report && <Report report={run.report} />}
      {(isUnderWay(run.status) || failed > 0) && (
        <Progress
          label={t('Progress of {name}', { name: run.name })}
          done={completed}
          failed={failed}
          total={run.question_count}
        >
          {t('{done} of {total} questions', { done: completed + failed, total: run.question_count })}
        </Progress>
      )}
      <Figures
        figures={MAIN_METRICS.filter((name) => metrics[name] !== undefined).map((name) => [
          getMetricLabel(name),
          formatMetric(name, metrics[name]),
        ])}
      />
      <Tabs label={t('Parts of the run')} tabs={getTabs()} chosen={tab} onChoose={setTab}>
        {tab === 'results' && <RunResults run={run} />}
        {tab === 'groups' && <Breakdown run={run} />}
        {tab === 'compare' && <RunComparison run={run} />}
        {tab === 'all' && (
          <Facts
            facts={METRIC_NAMES.filter((name) => metrics[name] !== undefined).map((name) => [
              getMetricLabel(name),
              formatMetric(name, metrics[name]),
            ])}
          />
        )}
      </Tabs>
    </div>
  );
}

/** Assessment of a scheduled run by its limits and by the previous run. */
function Report({ report }: { report: NonNullable<Run['report']> }) {
  return (
    <Notice
      tone={report.is_regression ? 'bad' : 'info'}
      icon={report.is_regression ? 'warning' : 'clock'}
      title={report.is_regression ? t('Regression in a scheduled run') : t('Scheduled run')}
    >
      <p dir="auto">{report.summary}</p>
    </Notice>
  );
}

function Actions({ run }: { run: Run }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const cancel = useApiMutation('POST /api/v1/evaluations/runs/{run_id}/cancel', [RUN, RUNS]);
  const remove = useApiMutation('DELETE /api/v1/evaluations/runs/{run_id}', [RUNS]);
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
          {t('The results of this run are deleted. The question set is kept.')}
        </Confirm>
      )}
    </>
  );
}
