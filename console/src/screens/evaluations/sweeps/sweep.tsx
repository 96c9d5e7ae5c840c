import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { buildRequest } from '../../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { count, moment } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { Loaded, Progress } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { isUnderWay, pollWhile } from '../../jobs/polling.ts';
import { formatMetric, getMetricLabel } from '../metrics.ts';
import { SWEEP, SWEEPS, type Sweep } from './operations.ts';

/** Page of a search for better settings. */
export default function SweepPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { sweep_id: id } };
  const read = useApiQuery(SWEEP, input, {
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false),
  });
  const sweep = read.data;
  return (
    <Page
      title={sweep?.name ?? t('Search for better settings')}
      badge={sweep && <StatusBadge status={sweep.status} />}
      breadcrumbs={[{ to: pathTo('/evaluations'), label: t('Evaluations') }]}
      calls={[{ what: t('Read the search for better settings'), ...buildRequest(SWEEP, input) }]}
      actions={sweep && <Actions sweep={sweep} />}
    >
      <Loaded read={read} what={t('The search could not be read')}>
        {(found) => <SweepDetails sweep={found} />}
      </Loaded>
    </Page>
  );
}

function SweepDetails({ sweep }: { sweep: Sweep }) {
  const pathTo = useProjectPath();
  const { evaluated_count: evaluated, failed_count: failed, pending_count: pending } = sweep;
  return (
    <div className={layout.stack}>
      <Facts
        facts={[
          [
            t('Question set'),
            <Link key="set" to={pathTo(`/evaluations/sets/${sweep.question_set_id}`)}>
              {t('{name}, version {version}', {
                name: sweep.question_set_name,
                version: sweep.question_set_version,
              })}
            </Link>,
          ],
          [t('Index'), sweep.target_name],
          [t('Measure'), getMetricLabel(sweep.metric)],
          [t('Settings tried'), count(sweep.candidate_count)],
          [t('Created'), moment(sweep.created_at)],
          ...(sweep.error_message ? [[t('Error'), sweep.error_message] as [string, string]] : []),
        ]}
      />
      {isUnderWay(sweep.status) && (
        <Progress
          label={t('Progress of {name}', { name: sweep.name })}
          done={evaluated - failed}
          failed={failed}
          total={evaluated + pending}
        >
          {sweep.phase === 'indexing'
            ? t('Indexing other chunks')
            : t('{done} of {total} searches, round {round}', {
                done: evaluated,
                total: evaluated + pending,
                round: sweep.rounds.length + 1,
              })}
        </Progress>
      )}
      {sweep.result && <Result result={sweep.result} />}
      {sweep.rounds.map((round, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Rounds have no other identity than their number.
        <section key={index}>
          <h2>
            {t('Round {round}: {count, plural, one {# question} other {# questions}}', {
              round: index + 1,
              count: round.question_count,
            })}
          </h2>
          <Table
            label={t('Round {round}', { round: index + 1 })}
            rows={round.settings}
            getRowKey={({ name }) => name}
            columns={[
              { key: 'name', header: t('Settings'), cell: ({ name }) => name },
              {
                key: 'value',
                header: getMetricLabel(sweep.metric),
                number: true,
                cell: ({ value }) => formatMetric(sweep.metric, value),
              },
            ]}
          />
        </section>
      ))}
    </div>
  );
}

/** The best settings with their comparison on the held-out half, and their text to copy. */
function Result({ result }: { result: NonNullable<Sweep['result']> }) {
  const { comparison, chunk_size, embedding_model_config_id, retrieval_parameters } = result;
  if (!comparison) {
    return <Notice tone="info" icon="check" title={t('The current settings are the best of those tried.')} />;
  }
  const settings = JSON.stringify(
    {
      retrieval_parameters,
      ...(chunk_size && { chunk_size }),
      ...(embedding_model_config_id && { embedding_model_config_id }),
    },
    null,
    2,
  );
  const isBetter = comparison.verdict === 'better';
  return (
    <Notice
      tone="info"
      icon={isBetter ? 'check' : 'warning'}
      title={isBetter ? t('Better settings were found') : t('No settings are clearly better')}
    >
      <p dir="auto">{comparison.summary}</p>
      <pre>{settings}</pre>
      <CopyButton text={settings} label={t('Copy the settings')}>
        {t('Copy the settings')}
      </CopyButton>
    </Notice>
  );
}

function Actions({ sweep }: { sweep: Sweep }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const cancel = useApiMutation('POST /api/v1/evaluations/sweeps/{sweep_id}/cancel', [SWEEP, SWEEPS]);
  const remove = useApiMutation('DELETE /api/v1/evaluations/sweeps/{sweep_id}', [SWEEPS]);
  const input = { params: { sweep_id: sweep.id } };
  const deleteSweep = async () => {
    await remove.mutateAsync(input);
    navigate(pathTo(`/evaluations/sets/${sweep.question_set_id}`));
  };
  return (
    <>
      {isUnderWay(sweep.status) && (
        <Button icon="stop" writes busy={cancel.isPending} onClick={() => cancel.mutate(input)}>
          {t('Cancel')}
        </Button>
      )}
      <Button icon="trash" look="danger" writes onClick={() => setDeleting(true)}>
        {t('Delete')}
      </Button>
      {isDeleting && (
        <Confirm
          title={t('Delete {name}?', { name: sweep.name })}
          action={t('Delete')}
          onConfirm={deleteSweep}
          onClose={() => setDeleting(false)}
        >
          {t('The results of this search are deleted. The index and the question set are kept.')}
        </Confirm>
      )}
    </>
  );
}
