import { useState } from 'react';
import { requestOf } from '../../api/client.ts';
import { useAction, useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
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
  { what: 'List the keys', ...requestOf('GET /api/v1/api-keys', {}) },
  { what: 'Make a key', ...requestOf('POST /api/v1/api-keys', { body: { name: 'worker' } }) },
];

/** Who gets in, and how far. */
export default function Keys() {
  const { session } = useSession();
  const project = useProjectId();
  const read = useAnswer('GET /api/v1/api-keys', {});
  const projects = useAnswer('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Key>();
  const revoke = useAction('DELETE /api/v1/api-keys/{api_key_id}', ['GET /api/v1/api-keys']);
  const nameOf = (id: string) => projects.data?.find((each) => each.id === id)?.name ?? 'One project';
  const columns: Column<Key>[] = [
    {
      key: 'name',
      header: 'Name',
      cell: ({ id, name }) => (
        <>
          {name || 'No name'} {id === session.key.id && <Badge tone="info">This session</Badge>}
        </>
      ),
    },
    { key: 'key', header: 'Key', cell: ({ redacted_api_key }) => <code>{redacted_api_key}</code> },
    {
      key: 'scope',
      header: 'Reaches',
      cell: ({ project_id }) => (project_id ? nameOf(project_id) : 'Every project'),
    },
    { key: 'made', header: 'Made', cell: ({ created_at }) => ago(created_at) },
    { key: 'used', header: 'Last used', cell: ({ last_used_at }) => ago(last_used_at) },
    {
      key: 'ends',
      header: 'Ends',
      cell: ({ expires_at }) => (expires_at ? moment(expires_at) : 'Never'),
    },
    {
      key: 'more',
      header: <span className="visually-hidden">What can be done</span>,
      cell: (key) => (
        <Menu
          label={`What can be done with ${key.name || 'this key'}`}
          items={[{ label: 'Revoke', icon: 'trash', danger: true, onChoose: () => setLeaving(key) }]}
        />
      ),
    },
  ];
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      lead="A key gets a program in. It is shown once, when it is made."
      actions={make}
      calls={CALLS}
    >
      <Loaded read={read} what="The keys could not be read">
        {(keys) =>
          keys.length > 0 ? (
            <Table label="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
          ) : (
            <Empty icon="key" title="No keys yet" action={make}>
              Make one for each program, so that one can be revoked without the others.
            </Empty>
          )
        }
      </Loaded>
      {isMaking && <NewKey project={project} onClose={() => setMaking(false)} />}
      {leaving && (
        <Confirm
          title={`Revoke ${leaving.name || 'this key'}?`}
          action="Revoke"
          onClose={() => setLeaving(undefined)}
          onConfirm={() => revoke.mutateAsync({ params: { api_key_id: leaving.id } })}
        >
          Programs that use it, and browsers that signed in with it, are refused from then on.
          {leaving.id === session.key.id && ' You are signed in with this key: you will be signed out.'}
        </Confirm>
      )}
    </Page>
  );
}
