import { type ReactNode, useState } from 'react';
import { buildRequest, buildUrl } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useCan } from '../../shell/can.ts';
import { useSession } from '../../shell/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDraft } from '../../ui/use-draft.ts';
import styles from './admin.module.css';

const LIST = 'GET /api/v1/organizations/{organization_id}/audit-log';
const MEMBERS = 'GET /api/v1/organizations/{organization_id}/users';
type Event = Answer<typeof LIST>['items'][number];

const getOutcomes = () => [
  { value: '', label: t('All') },
  { value: 'success', label: t('Successful') },
  { value: 'failure', label: t('Failed') },
];
const PAGE_SIZE = 100;

/** Returns the local start of a day, or undefined while the year is being typed. */
function toStartOfDay(day: string): string | undefined {
  const start = Date.parse(`${day}T00:00`);
  return Number.isNaN(start) ? undefined : new Date(start).toISOString();
}

/** Screen on which admins see who changed what, and export it. */
export default function AuditLog() {
  const { administer } = useCan();
  if (administer) return <Events />;
  return (
    <Page title={t('Audit log')}>
      <Empty icon="team" title={t('Only admins can read the audit log')}>
        {t('Ask an admin of the organization, or sign in with a key that is not limited to a project.')}
      </Empty>
    </Page>
  );
}

function Events() {
  const { session } = useSession();
  const params = { organization_id: session.organization.id };
  const [filter, setFilter] = useState({ user_id: '', operation: '', object_id: '', outcome: '', day: '' });
  const [tokens, setTokens] = useState<string[]>([]);
  const change = (part: Partial<typeof filter>) => {
    setFilter((before) => ({ ...before, ...part }));
    setTokens([]);
  };
  const [operation, setOperation] = useDraft(filter.operation, (typed) => change({ operation: typed }));
  const [objectId, setObjectId] = useDraft(filter.object_id, (typed) => change({ object_id: typed }));
  const asked = {
    user_id: filter.user_id || undefined,
    operation: filter.operation.trim() || undefined,
    object_id: filter.object_id.trim() || undefined,
    outcome: (filter.outcome || undefined) as 'success' | 'failure' | undefined,
    from: toStartOfDay(filter.day),
  };
  const token = tokens.at(-1);
  const query = { ...asked, page_size: PAGE_SIZE, ...(token && { page_token: token }) };
  const read = useApiQuery(LIST, { params, query });
  const members = useApiQuery(MEMBERS, { params }, { staleTime: 60_000 });
  const nameUser = (id: string | null): ReactNode => {
    if (!id) return t('Unknown');
    if (!members.data) return <code>{id}</code>;
    return members.data.find(({ user_id }) => user_id === id)?.name ?? t('Former member');
  };
  const people = (members.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name }));
  const columns: Column<Event>[] = [
    { key: 'time', header: t('Time'), cell: ({ created_at }) => moment(created_at) },
    { key: 'who', header: t('User'), cell: ({ user_id }) => nameUser(user_id) },
    {
      key: 'operation',
      header: t('Operation'),
      cell: ({ operation: name, outcome }) => (
        <>
          <code>{name}</code> {outcome === 'failure' && <Badge tone="bad">{t('Failed')}</Badge>}
        </>
      ),
    },
    {
      key: 'object',
      header: t('Object'),
      cell: ({ object_type, object_id }) => (
        <>
          {object_type} {object_id && <code>{object_id}</code>}
        </>
      ),
    },
    { key: 'request', header: t('Request'), cell: ({ request_id }) => <code>{request_id}</code> },
  ];
  const path = '/api/v1/organizations/{organization_id}/audit-log/export';
  return (
    <Page
      title={t('Audit log')}
      lead={t('Who changed what in this organization, and who signed in.')}
      actions={
        <a href={buildUrl({ path, params, query: asked })} download>
          {t('Export as JSON Lines')}
        </a>
      }
      calls={[{ what: t('List the audit log'), ...buildRequest(LIST, { params, query: asked }) }]}
    >
      <div className={styles.filters}>
        <Select
          label={t('User')}
          choices={[{ value: '', label: t('All') }, ...people]}
          value={filter.user_id}
          onChange={(event) => change({ user_id: event.target.value })}
        />
        <TextField
          label={t('Operation')}
          placeholder="deletePipeline"
          value={operation}
          onChange={(event) => setOperation(event.target.value)}
        />
        <TextField
          label={t('Object id')}
          value={objectId}
          onChange={(event) => setObjectId(event.target.value)}
        />
        <Select
          label={t('Outcome')}
          choices={getOutcomes()}
          value={filter.outcome}
          onChange={(event) => change({ outcome: event.target.value })}
        />
        <TextField
          type="date"
          label={t('First day')}
          value={filter.day}
          onChange={(event) => change({ day: event.target.value })}
        />
      </div>
      <Loaded read={read} what={t('The audit log could not be read')}>
        {({ items, next_page_token, searched_from }) => (
          <>
            {items.length > 0 ? (
              <Table label={t('Audit log')} columns={columns} rows={items} getRowKey={({ id }) => id} />
            ) : (
              <Empty icon="search" title={t('No events match')}>
                {next_page_token
                  ? t('Only a part of the log was searched. Choose Older to search further back.')
                  : t('Every change and every sign-in adds an event.')}
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
            {searched_from && (
              <p>{t('Events since {time} were searched.', { time: moment(searched_from) })}</p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
