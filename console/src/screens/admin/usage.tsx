import { useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Select } from '../../ui/field.tsx';
import { count, duration } from '../../ui/format.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { DailyChart } from './daily-chart.tsx';

type Day = Answer<'GET /api/v1/usage/daily'>['days'][number];
type Kind = Exclude<keyof Day, 'day'>;
type ModelUsage = Answer<'GET /api/v1/usage'>['models'][number];

const getKinds = (): readonly { kind: Kind; label: string }[] => [
  { kind: 'retrievals', label: t('Retrievals') },
  { kind: 'chats', label: t('Chat questions') },
  { kind: 'syncs', label: t('Syncs') },
  { kind: 'documents_indexed', label: t('Documents indexed') },
  { kind: 'documents_failed', label: t('Documents failed') },
  { kind: 'pages_indexed', label: t('Pages indexed') },
  { kind: 'parse_jobs', label: t('Parse jobs') },
  { kind: 'extract_jobs', label: t('Extract jobs') },
  { kind: 'classify_jobs', label: t('Classify jobs') },
  { kind: 'job_pages', label: t('Pages in jobs') },
];
const PERIODS = ['7', '30', '90'];
const DAY_MS = 86_400_000;

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Daily activity of the project and usage of its language models. */
export default function Usage() {
  const [search, setSearch] = useSearchParams();
  const days = PERIODS.includes(search.get('days') ?? '') ? search.get('days')! : '30';
  const kind = getKinds().find((each) => each.kind === search.get('of')) ?? getKinds()[0]!;
  const choose = (name: string, value: string) =>
    setSearch(
      (before) => {
        before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const start = dayBefore(Number(days) - 1);
  const query = { start };
  const read = useApiQuery('GET /api/v1/usage/daily', { query });
  const models = useApiQuery('GET /api/v1/usage', { query: { from: `${start}T00:00:00Z` } });
  return (
    <Page
      title={t('Usage')}
      lead={t('For monitoring, not for billing. Days are in UTC.')}
      actions={
        <Select
          label={t('Period')}
          hideLabel
          choices={PERIODS.map((period) => ({
            value: period,
            label: t('The last {count} days', { count: period }),
          }))}
          value={days}
          onChange={(event) => choose('days', event.target.value)}
        />
      }
      calls={[{ what: t('Usage by day'), ...buildRequest('GET /api/v1/usage/daily', { query }) }]}
    >
      <Loaded read={read} what={t('The usage could not be read')}>
        {(usage) => (
          <Card
            title={`${kind.label}: ${count(usage.days.reduce((sum, day) => sum + day[kind.kind], 0))}`}
            actions={
              <Select
                label={t('Metric')}
                hideLabel
                choices={getKinds().map(({ kind: value, label }) => ({ value, label }))}
                value={kind.kind}
                onChange={(event) => choose('of', event.target.value)}
              />
            }
          >
            <DailyChart
              label={kind.label}
              days={usage.days.map((day) => ({ day: day.day, count: day[kind.kind] }))}
            />
            <Totals days={usage.days} />
          </Card>
        )}
      </Loaded>
      <Card title={t('Language models')}>
        <Loaded read={models} what={t('The usage of models could not be read')}>
          {(usage) =>
            usage.models.length > 0 ? (
              <Table
                label={t('Usage of language models')}
                columns={getModelColumns()}
                rows={usage.models}
                getRowKey={({ day, use, model }) => `${day} ${use} ${model}`}
              />
            ) : (
              <Empty icon="usage" title={t('No language model was used in this period')}>
                {t(
                  'Features that work without a language model, such as search and built-in answers, are not listed here.',
                )}
              </Empty>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

/** Table with the numbers of the daily chart, for users who cannot see the chart. */
function Totals({ days }: { days: readonly Day[] }) {
  const columns: Column<ReturnType<typeof getKinds>[number]>[] = [
    { key: 'what', header: t('Metric'), cell: ({ label }) => label },
    {
      key: 'count',
      header: t('Total'),
      number: true,
      cell: ({ kind }) => count(days.reduce((sum, day) => sum + day[kind], 0)),
    },
    { key: 'today', header: t('Today'), number: true, cell: ({ kind }) => count(days.at(-1)?.[kind]) },
  ];
  return (
    <Table
      label={t('Totals for the period')}
      columns={columns}
      rows={getKinds()}
      getRowKey={({ kind }) => kind}
    />
  );
}

const getModelColumns = (): Column<ModelUsage>[] => [
  { key: 'day', header: t('Day'), cell: ({ day }) => day },
  { key: 'use', header: t('Use'), cell: ({ use }) => use },
  { key: 'model', header: t('Model'), cell: ({ model }) => model },
  { key: 'calls', header: t('Calls'), number: true, cell: ({ calls }) => count(calls) },
  { key: 'failures', header: t('Failed'), number: true, cell: ({ failures }) => count(failures) },
  { key: 'input', header: t('Tokens in'), number: true, cell: ({ input_tokens }) => count(input_tokens) },
  { key: 'output', header: t('Tokens out'), number: true, cell: ({ output_tokens }) => count(output_tokens) },
  { key: 'time', header: t('Time'), number: true, cell: ({ seconds }) => duration(seconds) },
];
