import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { count, duration, formatScore, moment } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Feedback } from '../chat/feedback.tsx';
import styles from './traces.module.css';
import { getTraceLabel, TraceBadges } from './traces.tsx';

const READ = 'GET /api/v1/traces/{trace_id}';
type Trace = Answer<typeof READ>;
type Details = NonNullable<Trace['details']>;
type Candidate = Details['candidates'][number];

/** Page of one trace. */
export default function TracePage() {
  const { id = '' } = useParams();
  const pathTo = useProjectPath();
  const input = { params: { trace_id: id } };
  const read = useApiQuery(READ, input);
  const breadcrumbs = [{ to: pathTo('/traces'), label: t('Traces') }];
  if (read.error?.status === 404) {
    return (
      <Page title={t('Trace not found')} breadcrumbs={breadcrumbs}>
        <Empty icon="trace" title={t('The trace may have expired or been deleted')} />
      </Page>
    );
  }
  return (
    <Page
      title={read.data ? getTraceLabel(read.data) : t('Trace')}
      badge={read.data && <TraceBadges trace={read.data} />}
      breadcrumbs={breadcrumbs}
      actions={<Remove id={id} />}
      calls={[{ what: t('Read a trace'), ...buildRequest(READ, input) }]}
    >
      <Loaded read={read} what={t('The trace could not be read')}>
        {(trace) => <Found key={trace.id} trace={trace} />}
      </Loaded>
    </Page>
  );
}

function Remove({ id }: { id: string }) {
  const pathTo = useProjectPath();
  const [, go] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const remove = useApiMutation('DELETE /api/v1/traces/{trace_id}', ['GET /api/v1/traces']);
  return (
    <>
      <Button look="danger" icon="trash" onClick={() => setAsked(true)}>
        {t('Delete')}
      </Button>
      {isAsked && (
        <Confirm
          title={t('Delete this trace?')}
          action={t('Delete')}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await remove.mutateAsync({ params: { trace_id: id } });
            go(pathTo('/traces'));
          }}
        >
          <p>{t('Its feedback is deleted too.')}</p>
        </Confirm>
      )}
    </>
  );
}

function Found({ trace }: { trace: Trace }) {
  const { details, feedback } = trace;
  return (
    <>
      <Card title={t('Overview')}>
        <Facts facts={listFacts(trace)} />
        {feedback?.comment && <p className={styles.text}>{feedback.comment}</p>}
        <Feedback id={trace.id} given={feedback?.rating} />
      </Card>
      {details ? (
        <DetailCards details={details} />
      ) : (
        <Notice
          tone="info"
          icon="about"
          title={t('The answer was not recorded. Only the feedback is known.')}
        />
      )}
    </>
  );
}

const listFacts = ({ created_at, duration_ms, details }: Trace): [string, string][] => {
  const { answer = null, latency = {} } = details ?? {};
  return [
    [t('Time'), moment(created_at)],
    [t('Duration'), duration(duration_ms === null ? null : duration_ms / 1000)],
    [t('Search'), duration(latency.total)],
    ...(answer
      ? ([
          [t('Model'), answer.model],
          [t('Input tokens'), count(answer.input_tokens)],
          [t('Output tokens'), count(answer.output_tokens)],
        ] as [string, string][])
      : []),
  ];
};

function DetailCards({ details }: { details: Details }) {
  const { answer, candidates, error } = details;
  return (
    <>
      {error && <Notice tone="bad" icon="failed" title={error.message ?? error.code} />}
      {details.is_withheld && (
        <Notice
          tone="info"
          icon="about"
          title={t(
            'The answer is not shown, because a passage was deleted or changed, or you cannot read it.',
          )}
        />
      )}
      {answer?.condensed_question && (
        <Card title={t('Searched for')}>
          <p className={styles.text}>{answer.condensed_question}</p>
        </Card>
      )}
      {answer?.text && (
        <Card title={t('Answer')}>
          <p className={styles.text} dir="auto">
            {answer.text}
          </p>
        </Card>
      )}
      {answer && answer.removed_citations.length > 0 && (
        <Card title={t('Removed citations')}>
          <ul>
            {answer.removed_citations.map(({ citation, reason, statement }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries may be identical and never move
              <li key={index}>
                [{citation}] {statement} {reason}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title={t('Passages')}>
        <Candidates candidates={candidates} />
      </Card>
      {answer && answer.messages.length > 0 && (
        <Card title={t('Prompt')}>
          {answer.messages.map(({ role, text, characters }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages never move
            <details key={index}>
              <summary>
                {t('{role}: {count, plural, one {# character} other {# characters}}', {
                  role,
                  count: characters,
                })}
              </summary>
              <p className={styles.text}>{text ?? t('The text was not recorded.')}</p>
            </details>
          ))}
        </Card>
      )}
    </>
  );
}

function Candidates({ candidates }: { candidates: readonly Candidate[] }) {
  const sorted = candidates.toSorted(
    (a, b) => (a.rank_after ?? 1000 + a.rank_before) - (b.rank_after ?? 1000 + b.rank_before),
  );
  const columns: Column<Candidate>[] = [
    { key: 'rank', header: t('Rank'), number: true, cell: ({ rank_after }) => count(rank_after) },
    {
      key: 'before',
      header: t('Before reranking'),
      number: true,
      cell: ({ rank_before }) => count(rank_before),
    },
    {
      key: 'passage',
      header: t('Passage'),
      cell: ({ title, text, chunk_id }) => (text === null ? <code>{chunk_id}</code> : <bdi>{title}</bdi>),
    },
    { key: 'dense', header: t('Semantic'), number: true, cell: ({ dense }) => formatScore(dense) },
    { key: 'sparse', header: t('Keyword'), number: true, cell: ({ sparse }) => formatScore(sparse) },
    { key: 'rerank', header: t('Reranker'), number: true, cell: ({ rerank }) => formatScore(rerank) },
  ];
  if (sorted.length === 0) return <p>{t('Nothing was found.')}</p>;
  return (
    <Table
      label={t('Ranked passages')}
      columns={columns}
      rows={sorted}
      getRowKey={({ pipeline_id, chunk_id }) => `${pipeline_id} ${chunk_id}`}
      detail={({ text, is_available }) =>
        text ? (
          <p className={styles.text} dir="auto">
            {text}
          </p>
        ) : (
          is_available === false && <p>{t('Deleted, changed or not readable.')}</p>
        )
      }
    />
  );
}
