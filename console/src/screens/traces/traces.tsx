import { useState } from 'react';
import { Link } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useCan } from '../../shell/can.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { duration, moment } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import { TraceSettingsDialog } from './settings.tsx';
import styles from './traces.module.css';

const LIST = 'GET /api/v1/traces';
type Trace = Answer<typeof LIST>['items'][number];

const PAGE_SIZE = 50;

const getKinds = () => [
  { value: '', label: t('All') },
  { value: 'retrieval', label: t('Retrievals') },
  { value: 'chat', label: t('Chat answers') },
];

/** Filters that select traces by their outcome, as query parameters of the API. */
const getOutcomes = () => [
  { value: '', label: t('All') },
  { value: 'feedback=down', label: t('Bad answer') },
  { value: 'feedback=up', label: t('Good answer') },
  { value: 'refused=true', label: t('No answer found') },
  { value: 'error=true', label: t('Failed') },
];

export const getTraceLabel = ({ kind, question }: Pick<Trace, 'kind' | 'question'>): string =>
  question ?? (kind === 'chat' ? t('Chat answer') : t('Retrieval'));

/** Shows how a retrieval or answer ended, and its feedback. */
export function TraceBadges({ trace }: { trace: Pick<Trace, 'error_code' | 'refused' | 'feedback'> }) {
  const { error_code, refused, feedback } = trace;
  return (
    <>
      {error_code && <Badge tone="bad">{t('Failed')}</Badge>}
      {refused && <Badge tone="warn">{t('No answer found')}</Badge>}
      {feedback?.rating === 'up' && <Badge tone="good">{t('Good answer')}</Badge>}
      {feedback?.rating === 'down' && <Badge tone="bad">{t('Bad answer')}</Badge>}
    </>
  );
}

/** Screen that lists recorded retrievals and answers. */
export default function Traces() {
  const pathTo = useProjectPath();
  const { administer } = useCan();
  const [filter, setFilter] = useState({ kind: '', outcome: '', q: '' });
  const [tokens, setTokens] = useState<string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const change = (part: Partial<typeof filter>) => {
    setFilter((before) => ({ ...before, ...part }));
    setTokens([]);
  };
  const [words, setWords] = useDraft(filter.q, (typed) => change({ q: typed }));
  const [name, value] = filter.outcome.split('=');
  const token = tokens.at(-1);
  const query = {
    kind: (filter.kind || undefined) as Trace['kind'] | undefined,
    q: filter.q.trim() || undefined,
    ...(name && { [name]: value }),
    page_size: PAGE_SIZE,
    ...(token && { page_token: token }),
  };
  const read = useApiQuery(LIST, { query });
  const columns: Column<Trace>[] = [
    { key: 'time', header: t('Time'), cell: ({ created_at }) => moment(created_at) },
    {
      key: 'question',
      header: t('Question'),
      cell: (trace) => (
        <Link to={pathTo(`/traces/${trace.id}`)}>
          <bdi>{getTraceLabel(trace)}</bdi>
        </Link>
      ),
    },
    { key: 'outcome', header: t('Outcome'), cell: (trace) => <TraceBadges trace={trace} /> },
    {
      key: 'duration',
      header: t('Duration'),
      number: true,
      cell: ({ duration_ms }) => duration(duration_ms === null ? null : duration_ms / 1000),
    },
  ];
  return (
    <Page
      title={t('Traces')}
      lead={t(
        'Recorded searches and answers: what was found, how it was ranked, and what the model received.',
      )}
      actions={administer && <Button onClick={() => setOpen(true)}>{t('Settings')}</Button>}
      calls={[{ what: t('List traces'), ...buildRequest(LIST, { query }) }]}
    >
      <div className={styles.filters}>
        <Select
          label={t('Kind')}
          choices={getKinds()}
          value={filter.kind}
          onChange={(event) => change({ kind: event.target.value })}
        />
        <Select
          label={t('Outcome')}
          choices={getOutcomes()}
          value={filter.outcome}
          onChange={(event) => change({ outcome: event.target.value })}
        />
        <TextField label={t('Question')} value={words} onChange={(event) => setWords(event.target.value)} />
      </div>
      <Loaded read={read} what={t('The traces could not be read')}>
        {({ items, next_page_token }) => (
          <>
            {items.length > 0 ? (
              <Table label={t('Traces')} columns={columns} rows={items} getRowKey={({ id }) => id} />
            ) : (
              <Empty icon="trace" title={t('No traces')}>
                {t('Nothing is recorded unless an admin sets a sample rate in the settings of this page.')}
              </Empty>
            )}
            <div className={styles.pages}>
              {tokens.length > 0 && (
                <Button onClick={() => setTokens(tokens.slice(0, -1))}>{t('Newer')}</Button>
              )}
              {next_page_token && (
                <Button onClick={() => setTokens([...tokens, next_page_token])}>{t('Older')}</Button>
              )}
            </div>
          </>
        )}
      </Loaded>
      {isOpen && <TraceSettingsDialog onClose={() => setOpen(false)} />}
    </Page>
  );
}
