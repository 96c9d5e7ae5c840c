import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
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
import { ConnectedApplications } from './connected-applications.tsx';
import { getScopeLabels } from './key-scopes.ts';
import { NewKey } from './new-key.tsx';
import { OwnSessions } from './own-sessions.tsx';

type Key = Answer<'GET /api/v1/api-keys'>[number];

const getCalls = () => [
  { what: t('List the keys'), ...buildRequest('GET /api/v1/api-keys', {}) },
  { what: t('Create a key'), ...buildRequest('POST /api/v1/api-keys', { body: { name: 'worker' } }) },
];

function Expiry({ at }: { at: string | null }) {
  if (at === null) return t('Never');
  const isOver = Date.parse(at) <= Date.now();
  return (
    <>
      {moment(at)} {isOver && <Badge tone="bad">{t('Expired')}</Badge>}
    </>
  );
}

export default function Keys() {
  const { session } = useSession();
  const can = useCan();
  const project = useProjectId();
  const read = useApiQuery('GET /api/v1/api-keys', {});
  const projects = useApiQuery('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const revoke = useApiMutation('DELETE /api/v1/api-keys/{api_key_id}', ['GET /api/v1/api-keys']);
  const getProjectName = (id: string) =>
    projects.data?.find((each) => each.id === id)?.name ?? t('One project');
  const columns: Column<Key>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ id, name }) => (
        <>
          {name || t('No name')} {id === session.key?.id && <Badge tone="info">{t('This session')}</Badge>}
        </>
      ),
    },
    { key: 'key', header: t('Key'), cell: ({ redacted_api_key }) => <code>{redacted_api_key}</code> },
    {
      key: 'scope',
      header: t('Access'),
      cell: ({ project_id }) => (project_id ? getProjectName(project_id) : t('All projects')),
    },
    { key: 'made', header: t('Created'), cell: ({ created_at }) => ago(created_at) },
    { key: 'used', header: t('Last used'), cell: ({ last_used_at }) => ago(last_used_at) },
    {
      key: 'ends',
      header: t('Expires'),
      cell: ({ expires_at }) => <Expiry at={expires_at ?? null} />,
    },
    {
      key: 'scopes',
      header: t('Scope'),
      cell: ({ scopes }) => scopes.map((each) => getScopeLabels()[each]).join(', '),
    },
    ...(can.manageKeys
      ? [
          {
            key: 'more',
            header: <span className="visually-hidden">{t('Actions')}</span>,
            cell: (key: Key) => (
              <Menu
                label={t('Actions for {name}', { name: key.name || t('this key') })}
                items={[
                  {
                    label: t('Revoke'),
                    icon: 'trash' as const,
                    danger: true,
                    onChoose: () => setDeleted(key),
                  },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
  const create = (
    <Button
      look="primary"
      icon="plus"
      writes
      disabled={!can.manageKeys}
      title={can.manageKeys ? undefined : t('Only a key with all rights of its user can manage keys.')}
      onClick={() => setCreating(true)}
    >
      {t('New key')}
    </Button>
  );
  return (
    <Page
      title={t('API keys')}
      lead={t('Programs sign in with an API key. A key is shown once, when it is created.')}
      actions={create}
      calls={getCalls()}
    >
      <Loaded read={read} what={t('The keys could not be read')}>
        {(keys) =>
          keys.length > 0 ? (
            <Table label={t('API keys')} columns={columns} rows={keys} getRowKey={({ id }) => id} />
          ) : (
            <Empty icon="key" title={t('No keys yet')} action={create}>
              {t('Create one key per program, so that you can revoke each of them separately.')}
            </Empty>
          )
        }
      </Loaded>
      <OwnSessions />
      <ConnectedApplications />
      {isCreating && <NewKey project={project} onClose={() => setCreating(false)} />}
      {deleted && (
        <Confirm
          title={t('Revoke {name}?', { name: deleted.name || t('this key') })}
          action={t('Revoke')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => revoke.mutateAsync({ params: { api_key_id: deleted.id } })}
        >
          {t('Programs that use this key, and browsers that signed in with it, lose access immediately.')}
          {deleted.id === session.key?.id &&
            ` ${t('You are signed in with this key and will be signed out.')}`}
        </Confirm>
      )}
    </Page>
  );
}
