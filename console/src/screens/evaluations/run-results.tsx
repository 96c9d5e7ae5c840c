import { useState } from 'react';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { formatMetric, getMetricLabel } from './metrics.ts';
import type { Run } from './operations.ts';
import { useRunQuery } from './use-run-query.ts';

const RESULTS = 'GET /api/v1/evaluations/runs/{run_id}/results';
type Result = Answer<typeof RESULTS>['items'][number];

/** Results of a run by question, page by page. A row opens to what was found and answered. */
export function RunResults({ run }: { run: Run }) {
  const [tokens, setTokens] = useState<string[]>([]);
  const [isMissed, setMissed] = useState(false);
  const [opened, setOpened] = useState<string>();
  const read = useRunQuery(run, RESULTS, {
    params: { run_id: run.id },
    query: { page_size: 50, page_token: tokens.at(-1), ...(isMissed && { missed: true }) },
  });
  const toggle = (id: string) => setOpened(opened === id ? undefined : id);
  return (
    <div className={layout.stack}>
      <Checkbox
        label={t('Only questions whose expected results were not found')}
        checked={isMissed}
        onChange={({ target }) => {
          setTokens([]);
          setMissed(target.checked);
        }}
      />
      <Loaded read={read} what={t('The results could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length === 0 ? (
              <Empty icon="check" title={t('No questions')} />
            ) : (
              <Table
                label={t('Results by question')}
                columns={buildColumns(opened, toggle)}
                rows={items}
                getRowKey={({ question_id }) => question_id}
                detail={(result) => result.question_id === opened && <ResultDetails result={result} />}
              />
            )}
            <div className={layout.row}>
              {tokens.length > 0 && (
                <Button icon="left" onClick={() => setTokens(tokens.slice(0, -1))}>
                  {t('Previous')}
                </Button>
              )}
              {next && (
                <Button icon="right" onClick={() => setTokens([...tokens, next])}>
                  {t('Next')}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

const SHOWN = ['recall@5', 'ndcg@10'] as const;

function buildColumns(opened: string | undefined, toggle: (id: string) => void): Column<Result>[] {
  return [
    { key: 'text', header: t('Question'), cell: ({ text }) => text },
    {
      key: 'state',
      header: t('State'),
      cell: ({ status, error_message }) => error_message ?? <StatusBadge status={status} />,
    },
    {
      key: 'rank',
      header: t('First found at rank'),
      number: true,
      cell: ({ retrieved }) => {
        const rank = (retrieved ?? []).findIndex(({ relevance }) => relevance > 0);
        return rank < 0 ? '–' : count(rank + 1);
      },
    },
    ...SHOWN.map((name) => ({
      key: name,
      header: getMetricLabel(name),
      number: true,
      cell: ({ metrics }: Result) => formatMetric(name, metrics?.[name]),
    })),
    {
      key: 'open',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: ({ question_id, text }) => (
        <Button
          small
          aria-expanded={opened === question_id}
          aria-label={t('Details of {name}', { name: text })}
          onClick={() => toggle(question_id)}
        >
          {t('Details')}
        </Button>
      ),
    },
  ];
}

function ResultDetails({ result }: { result: Result }) {
  const { retrieved, answer, expected_passages: passages, expected_answer: expected } = result;
  return (
    <div className={layout.stack}>
      {passages.length > 0 && (
        <section>
          <h2>{t('Expected passages')}</h2>
          <ul>
            {passages.map(({ text }) => (
              <li key={text} dir="auto">
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t('Found')}</h2>
        <ol>
          {(retrieved ?? []).map(({ chunk_id, title, page, relevance }) => (
            <li key={chunk_id}>
              <bdi>{title || t('Deleted document')}</bdi>
              {page && `, ${t('page {page}', { page })}`}
              {relevance > 0 && ` · ${t('expected')}`}
            </li>
          ))}
        </ol>
      </section>
      {answer && (
        <section>
          <h2>{t('Answer')}</h2>
          <p dir="auto">{answer.text ?? t('Not shown, because a document was deleted.')}</p>
          {expected && <p className={layout.soft}>{t('Expected: {answer}', { answer: expected })}</p>}
        </section>
      )}
    </div>
  );
}
