import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { ago, count, duration, moment } from '../../ui/format.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './index.module.css';
import { IndexPage } from './index-page.tsx';
import { RunDetails } from './run-details.tsx';
import { getDurationSeconds, toReasonLabel } from './run-labels.ts';
import { StageTimes, stageSeconds } from './stage-times.tsx';
import { useIndexStatus } from './use-status.ts';

const PAGE = 20;

const getStates = () =>
  [
    { value: '', label: t('All states') },
    { value: 'SUCCESS', label: t('Ready') },
    { value: 'PARTIAL_SUCCESS', label: t('Partly ready') },
    { value: 'ERROR', label: t('Failed') },
    { value: 'CANCELLED', label: t('Cancelled') },
    { value: 'IN_PROGRESS', label: t('Running') },
  ] as const;

type State = ReturnType<typeof getStates>[number]['value'];
type Runs = Answer<'GET /api/v1/pipeline-jobs'>;
type Run = Runs['items'][number];

const buildCalls = (id: string) => [
  {
    what: t('List the syncs'),
    ...buildRequest('GET /api/v1/pipeline-jobs', { query: { pipeline_id: id } }),
  },
];

export default function RunsScreen() {
  return (
    <IndexPage part="/runs" calls={buildCalls}>
      {({ id }) => <RunList key={id} id={id} />}
    </IndexPage>
  );
}

function RunList({ id }: { id: string }) {
  const [search, setSearch] = useSearchParams();
  const state = (search.get('state') ?? '') as State;
  const set = (changes: Record<string, string | undefined>) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes)) {
        if (value) after.set(name, value);
        else after.delete(name);
      }
      return after;
    });
  const { data: status } = useIndexStatus(id);
  const read = useApiQuery(
    'GET /api/v1/pipeline-jobs',
    {
      query: {
        pipeline_id: id,
        page_size: PAGE,
        page_token: search.get('page') ?? undefined,
        statuses: state ? [state] : undefined,
      },
    },
    { refetchInterval: status?.status === 'IN_PROGRESS' ? 1000 : 10_000 },
  );
  return (
    <>
      <div className={styles.narrow}>
        <Select
          label={t('State')}
          choices={getStates()}
          value={state}
          onChange={({ target }) => set({ state: target.value, page: undefined, run: undefined })}
        />
      </div>
      <Loaded read={read} what={t('The syncs could not be read')}>
        {(runs) => (
          <RunTable
            id={id}
            runs={runs}
            open={search.get('run') ?? undefined}
            onOpen={(run) => set({ run })}
            onPage={(page) => set({ page, run: undefined })}
            isFirst={!search.has('page')}
            isFiltered={state !== ''}
          />
        )}
      </Loaded>
    </>
  );
}

interface RunTableProps {
  id: string;
  runs: Runs;
  open: string | undefined;
  onOpen: (run: string | undefined) => void;
  onPage: (token: string | undefined) => void;
  isFirst: boolean;
  isFiltered: boolean;
}

function RunTable({ id, runs, open, onOpen, onPage, isFirst, isFiltered }: RunTableProps) {
  if (runs.items.length === 0) {
    return isFiltered ? (
      <Empty icon="search" title={t('No sync is in this state')} />
    ) : (
      <Empty icon="clock" title={t('Nothing was synced yet')}>
        {t('A sync starts automatically when content is added to the index.')}
      </Empty>
    );
  }
  const toggle = (run: Run) => onOpen(open === run.id ? undefined : run.id);
  return (
    <>
      <Table
        label={t('Syncs')}
        columns={[...getColumns(), detailsColumn(open, toggle)]}
        rows={runs.items}
        getRowKey={({ id: run }) => run}
        detail={(run) => run.id === open && <RunDetails indexId={id} runId={run.id} />}
      />
      <div className={styles.pages}>
        <span className={styles.words}>
          {t('{count, plural, one {# sync} other {# syncs}}', {
            count: runs.total_size ?? runs.items.length,
          })}
        </span>
        {!isFirst && (
          <Button small onClick={() => onPage(undefined)}>
            {t('Newest')}
          </Button>
        )}
        {runs.next_page_token && (
          <Button small onClick={() => onPage(runs.next_page_token ?? undefined)}>
            {t('Older')}
          </Button>
        )}
      </div>
    </>
  );
}

const getColumns = (): Column<Run>[] => [
  {
    key: 'started',
    header: t('Started'),
    cell: ({ started_at }) => (
      <time className={styles.nowrap} title={moment(started_at)}>
        {ago(started_at)}
      </time>
    ),
  },
  { key: 'state', header: t('State'), cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'reason',
    header: t('Trigger'),
    cell: ({ reason }) => <span className={styles.nowrap}>{toReasonLabel(reason)}</span>,
  },
  {
    key: 'took',
    header: t('Took'),
    number: true,
    cell: ({ started_at, finished_at }) => duration(getDurationSeconds(started_at, finished_at)),
  },
  {
    key: 'indexed',
    header: t('Indexed'),
    number: true,
    cell: ({ counters }) => count(counters.indexed ?? 0),
  },
  { key: 'failed', header: t('Failed'), number: true, cell: ({ counters }) => count(counters.failed ?? 0) },
  { key: 'pages', header: t('Pages'), number: true, cell: ({ counters }) => count(counters.pages ?? 0) },
  { key: 'chunks', header: t('Chunks'), number: true, cell: ({ counters }) => count(counters.chunks ?? 0) },
  {
    key: 'stages',
    header: t('Time by stage'),
    cell: ({ counters }) => <StageTimes seconds={stageSeconds(counters)} />,
  },
];

const detailsColumn = (open: string | undefined, toggle: (run: Run) => void): Column<Run> => ({
  key: 'details',
  header: <span className="visually-hidden">{t('Details')}</span>,
  number: true,
  cell: (run) => (
    <IconButton
      small
      icon={run.id === open ? 'up' : 'down'}
      label={t('Details of the sync of {time}', { time: moment(run.started_at) })}
      aria-expanded={run.id === open}
      onClick={() => toggle(run)}
    />
  ),
});
