import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useCan } from '../../shell/can.ts';
import { useProjectId } from '../../shell/project.ts';
import { useSession } from '../../shell/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago, moment } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { NewKey } from './new-key.tsx';

type Key = Answer<'GET /api/v1/api-keys'>[number];

const CALLS = [
  { what: 'List the keys', ...buildRequest('GET /api/v1/api-keys', {}) },
  { what: 'Create a key', ...buildRequest('POST /api/v1/api-keys', { body: { name: 'worker' } }) },
];

export default function Keys() {
  const { session } = useSession();
  const can = useCan();
  const project = useProjectId();
  const read = useApiQuery('GET /api/v1/api-keys', {});
  const projects = useApiQuery('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const revoke = useApiMutation('DELETE /api/v1/api-keys/{api_key_id}', ['GET /api/v1/api-keys']);
  const getProjectName = (id: string) => projects.data?.find((each) => each.id === id)?.name ?? 'One project';
  const columns: Column<Key>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, name }) => (
        <>
          {name || 'No name'} {id === session.key?.id && <Badge tone="info">This session</Badge>}
        </>
      ),
    },
    { key: 'key', header: 'Key', cell: ({ redacted_api_key }) => <code>{redacted_api_key}</code> },
    {
      key: 'scope',
      header: 'Access',
      cell: ({ project_id }) => (project_id ? getProjectName(project_id) : 'All projects'),
    },
    { key: 'made', header: 'Created', cell: ({ created_at }) => ago(created_at) },
    { key: 'used', header: 'Last used', cell: ({ last_used_at }) => ago(last_used_at) },
    {
      key: 'ends',
      header: 'Expires',
      cell: ({ expires_at }) => (expires_at ? moment(expires_at) : 'Never'),
    },
    { key: 'role', header: 'Role', cell: ({ role }) => (role === 'viewer' ? 'Viewer' : 'As its user') },
    ...(can.write
      ? [
          {
            key: 'more',
            header: <span className="visually-hidden">Actions</span>,
            cell: (key: Key) => (
              <Menu
                label={`Actions for ${key.name || 'this key'}`}
                items={[
                  { label: 'Revoke', icon: 'trash' as const, danger: true, onChoose: () => setDeleted(key) },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  const create = (
    <Button look="primary" icon="plus" writes onClick={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      lead="Programs sign in with an API key. A key is shown once, when it is created."
      actions={create}
      calls={CALLS}
    >
      <Loaded read={read} what="The keys could not be read">
        {(keys) =>
          keys.length > 0 ? (
            <Table label="API keys" columns={columns} rows={keys} getRowKey={({ id }) => id} />
          ) : (
            <Empty icon="key" title="No keys yet" action={create}>
              Create one key per program, so that you can revoke each of them separately.
            </Empty>
          )
        }
      </Loaded>
      {isCreating && <NewKey project={project} onClose={() => setCreating(false)} />}
      {deleted && (
        <Confirm
          title={`Revoke ${deleted.name || 'this key'}?`}
          action="Revoke"
          onClose={() => setDeleted(undefined)}
          onConfirm={() => revoke.mutateAsync({ params: { api_key_id: deleted.id } })}
        >
          Programs that use this key, and browsers that signed in with it, lose access immediately.
          {deleted.id === session.key?.id && ' You are signed in with this key and will be signed out.'}
        </Confirm>
      )}
    </Page>
  );
}
