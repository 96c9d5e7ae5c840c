import { useState } from 'react';
import type { Answer } from '../../../api/types.ts';
import { t } from '../../../i18n/messages.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { percent } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { useRunQuery } from '../use-run-query.ts';
import { formatAccuracy, getTypeLabel } from './labels.ts';
import type { AccuracyRun } from './operations.ts';

const RESULTS = 'GET /api/v1/evaluations/accuracy-runs/{run_id}/results';
type Result = Answer<typeof RESULTS>['items'][number];
type Difference = Result['differences'][number];

/** Results of a run by file, page by page. A row opens to the values that are not as expected. */
export function AccuracyResults({ run }: { run: AccuracyRun }) {
  const [tokens, setTokens] = useState<string[]>([]);
  const [isWrong, setWrong] = useState(false);
  const [opened, setOpened] = useState<string>();
  const read = useRunQuery(run, RESULTS, {
    params: { run_id: run.id },
    query: { page_size: 50, page_token: tokens.at(-1), ...(isWrong && { is_correct: false }) },
  });
  const toggle = (id: string) => setOpened(opened === id ? undefined : id);
  return (
    <div className={layout.stack}>
      <Checkbox
        label={t('Only files with errors')}
        checked={isWrong}
        onChange={({ target }) => {
          setTokens([]);
          setWrong(target.checked);
        }}
      />
      <Loaded read={read} what={t('The results could not be read')}>
        {({ items, next_page_token: next }) => (
          <>
            {items.length === 0 ? (
              <Empty icon="check" title={t('No files')} />
            ) : (
              <Table
                label={t('Results by file')}
                columns={buildColumns(run, opened, toggle)}
                rows={items}
                getRowKey={({ file_id }) => file_id}
                detail={(result) => result.file_id === opened && <Differences rows={result.differences} />}
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

function buildColumns(
  run: AccuracyRun,
  opened: string | undefined,
  toggle: (id: string) => void,
): Column<Result>[] {
  const state: Column<Result>[] = [
    { key: 'file', header: t('File'), cell: ({ file_name }) => file_name },
    {
      key: 'state',
      header: t('State'),
      cell: ({ status, error_message }) => error_message ?? <StatusBadge status={status} />,
    },
  ];
  if (run.kind === 'classification') {
    return [
      ...state,
      { key: 'expected', header: t('Expected'), cell: ({ expected }) => getTypeLabel(expected.type) },
      {
        key: 'found',
        header: t('Found'),
        cell: ({ type, status }) => (status === 'completed' ? getTypeLabel(type) : '–'),
      },
      {
        key: 'confidence',
        header: t('Confidence'),
        number: true,
        cell: ({ confidence }) => (typeof confidence === 'number' ? percent(confidence) : '–'),
      },
    ];
  }
  return [
    ...state,
    { key: 'f1', header: 'F1', number: true, cell: ({ metrics }) => formatAccuracy(metrics?.f1) },
    {
      key: 'open',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: ({ file_id, file_name, differences }) =>
        differences.length > 0 && (
          <Button
            small
            aria-expanded={opened === file_id}
            aria-label={t('Details of {name}', { name: file_name })}
            onClick={() => toggle(file_id)}
          >
            {t('Details')}
          </Button>
        ),
    },
  ];
}

const getKinds = (): Record<Difference['kind'], string> => ({
  wrong: t('Wrong'),
  missing: t('Missing'),
  invented: t('Invented'),
});

function Differences({ rows }: { rows: Difference[] }) {
  const kinds = getKinds();
  const numbered = rows.map((row, index) => ({ ...row, index }));
  return (
    <Table
      label={t('Differences')}
      rows={numbered}
      getRowKey={({ index }) => String(index)}
      columns={[
        { key: 'field', header: t('Field'), cell: ({ field }) => field },
        { key: 'kind', header: t('Difference'), cell: ({ kind }) => kinds[kind] },
        { key: 'expected', header: t('Expected'), cell: ({ expected }) => formatValue(expected) },
        { key: 'found', header: t('Found'), cell: ({ actual }) => formatValue(actual) },
        {
          key: 'confidence',
          header: t('Confidence'),
          number: true,
          cell: ({ confidence }) => (confidence === null ? '–' : percent(confidence)),
        },
      ]}
    />
  );
}

const formatValue = (value: Difference['expected']): string => (value === null ? '–' : String(value));
