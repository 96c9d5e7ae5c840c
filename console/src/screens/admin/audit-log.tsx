import { useState } from 'react';
import { buildRequest, buildUrl } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useCan } from '../../shell/can.ts';
import { useSession } from '../../shell/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './admin.module.css';

const LIST = 'GET /api/v1/organizations/{organization_id}/audit-log';
const MEMBERS = 'GET /api/v1/organizations/{organization_id}/users';
type Event = Answer<typeof LIST>['items'][number];

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'success', label: 'Successful' },
  { value: 'failure', label: 'Failed' },
];
const PAGE_SIZE = 100;

/** Screen on which admins see who changed what, and export it. */
export default function AuditLog() {
  const { administer } = useCan();
  if (administer) return <Events />;
  return (
    <Page title="Audit log">
      <Empty icon="team" title="Only admins can read the audit log">
        Ask an admin of the organization, or sign in with a key that is not limited to a project.
      </Empty>
    </Page>
  );
}

function Events() {
  const { session } = useSession();
  const params = { organization_id: session.organization.id };
  const [filter, setFilter] = useState({ user_id: '', operation: '', object_id: '', outcome: '' });
  const [tokens, setTokens] = useState<string[]>([]);
  const change = (part: Partial<typeof filter>) => {
    setFilter({ ...filter, ...part });
    setTokens([]);
  };
  const asked = {
    user_id: filter.user_id || undefined,
    operation: filter.operation.trim() || undefined,
    object_id: filter.object_id.trim() || undefined,
    outcome: (filter.outcome || undefined) as 'success' | 'failure' | undefined,
  };
  const token = tokens.at(-1);
  const query = { ...asked, page_size: PAGE_SIZE, ...(token && { page_token: token }) };
  const read = useApiQuery(LIST, { params, query });
  const members = useApiQuery(MEMBERS, { params }, { staleTime: 60_000 });
  const getName = (id: string | null) =>
    members.data?.find(({ user_id }) => user_id === id)?.name ?? (id ? 'Former member' : 'Unknown');
  const people = (members.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name }));
  const columns: Column<Event>[] = [
    { key: 'time', header: 'Time', cell: ({ created_at }) => moment(created_at) },
    { key: 'who', header: 'User', cell: ({ user_id }) => getName(user_id) },
    {
      key: 'operation',
      header: 'Operation',
      cell: ({ operation, outcome }) => (
        <>
          <code>{operation}</code> {outcome === 'failure' && <Badge tone="bad">Failed</Badge>}
        </>
      ),
    },
    {
      key: 'object',
      header: 'Object',
      cell: ({ object_type, object_id }) => (
        <>
          {object_type} {object_id && <code>{object_id}</code>}
        </>
      ),
    },
    { key: 'request', header: 'Request', cell: ({ request_id }) => <code>{request_id}</code> },
  ];
  const path = '/api/v1/organizations/{organization_id}/audit-log/export';
  return (
    <Page
      title="Audit log"
      lead="Who changed what in this organization, and who signed in."
      actions={
        <a href={buildUrl({ path, params, query: asked })} download>
          Export as JSON Lines
        </a>
      }
      calls={[{ what: 'List the audit log', ...buildRequest(LIST, { params, query: asked }) }]}
    >
      <div className={styles.filters}>
        <Select
          label="User"
          choices={[{ value: '', label: 'All' }, ...people]}
          value={filter.user_id}
          onChange={(event) => change({ user_id: event.target.value })}
        />
        <TextField
          label="Operation"
          placeholder="deletePipeline"
          value={filter.operation}
          onChange={(event) => change({ operation: event.target.value })}
        />
        <TextField
          label="Object id"
          value={filter.object_id}
          onChange={(event) => change({ object_id: event.target.value })}
        />
        <Select
          label="Outcome"
          choices={OUTCOMES}
          value={filter.outcome}
          onChange={(event) => change({ outcome: event.target.value })}
        />
      </div>
      <Loaded read={read} what="The audit log could not be read">
        {({ items, next_page_token }) => (
          <>
            {items.length > 0 ? (
              <Table label="Audit log" columns={columns} rows={items} getRowKey={({ id }) => id} />
            ) : (
              <Empty icon="search" title="No events match">
                Every change and every sign-in adds an event.
              </Empty>
            )}
            <div className={styles.pages}>
              {tokens.length > 0 && <Button onClick={() => setTokens(tokens.slice(0, -1))}>Newer</Button>}
              {next_page_token && (
                <Button onClick={() => setTokens([...tokens, next_page_token])}>Older</Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}
