import { useState } from 'react';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { useOptimisticApiMutation } from '../../api/optimistic.ts';
import type { Answer, Input } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useCan } from '../../shell/can.ts';
import { useProjectId } from '../../shell/project.ts';
import { useSession } from '../../shell/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Invitations, Invite } from './invitations.tsx';
import { NewKey } from './new-key.tsx';
import { getRoleLabels, getRoles, type Role } from './roles.ts';

const LIST = 'GET /api/v1/organizations/{organization_id}/users';
type Member = Answer<typeof LIST>[number];

const changeRole = (
  members: Member[],
  { params, body }: Input<'PUT /api/v1/organizations/{organization_id}/users/{user_id}'>,
) => members.map((member) => (member.user_id === params.user_id ? { ...member, ...body } : member));

export default function Team() {
  const { session } = useSession();
  const project = useProjectId();
  const params = { organization_id: session.organization.id };
  const read = useApiQuery(LIST, { params });
  const change = useOptimisticApiMutation('PUT /api/v1/organizations/{organization_id}/users/{user_id}', [
    { queryKey: [LIST], change: changeRole },
  ]);
  const remove = useApiMutation('DELETE /api/v1/organizations/{organization_id}/users/{user_id}', [LIST]);
  const [isAdding, setAdding] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [keyFor, setKeyFor] = useState<Member>();
  const [deleted, setDeleted] = useState<Member>();
  const { administer } = useCan();
  const buildMenu = (member: Member) => {
    const others = getRoles().filter(({ value }) => value !== member.role);
    return [
      { label: t('New key'), icon: 'key' as const, onChoose: () => setKeyFor(member) },
      ...others.map(({ value: role }) => ({
        label: { admin: t('Make admin'), member: t('Make member'), viewer: t('Make viewer') }[role],
        icon: 'team' as const,
        onChoose: () => change.mutate({ params: { ...params, user_id: member.user_id }, body: { role } }),
      })),
      { label: t('Remove'), icon: 'trash' as const, danger: true, onChoose: () => setDeleted(member) },
    ];
  };
  const columns: Column<Member>[] = [
    {
      key: 'name',
      header: t('Name'),
      cell: ({ name, user_id }) => (
        <>
          {name} {user_id === session.user.id && <Badge tone="info">{t('You')}</Badge>}
        </>
      ),
    },
    { key: 'email', header: t('Email'), cell: ({ email }) => email ?? '–' },
    { key: 'role', header: t('Role'), cell: ({ role }) => getRoleLabels()[role] },
    { key: 'joined', header: t('Joined'), cell: ({ created_at }) => moment(created_at) },
    ...(administer
      ? [
          {
            key: 'more',
            header: <span className="visually-hidden">{t('Actions')}</span>,
            cell: (member: Member) => (
              <Menu label={t('Actions for {name}', { name: member.name })} items={buildMenu(member)} />
            ),
          },
        ]
      : []),
  ];
  return (
    <Page
      title={t('Team')}
      lead={t('Members of {name}. A member signs in with an invitation, a key or an identity provider.', {
        name: session.organization.name,
      })}
      actions={
        administer && (
          <>
            <Button icon="plus" onClick={() => setAdding(true)}>
              {t('Add a member')}
            </Button>
            <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
              {t('Invite by link')}
            </Button>
          </>
        )
      }
      calls={[{ what: t('List the members'), ...buildRequest(LIST, { params }) }]}
    >
      {change.error && <Failure error={change.error} what={t('The role could not be changed')} />}
      <Loaded read={read} what={t('The members could not be read')}>
        {(members) => (
          <Table label={t('Members')} columns={columns} rows={members} getRowKey={({ user_id }) => user_id} />
        )}
      </Loaded>
      {administer && <Invitations />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      {isAdding && <AddMember onClose={() => setAdding(false)} />}
      {keyFor && (
        <NewKey
          project={project}
          member={{ id: keyFor.user_id, name: keyFor.name }}
          onClose={() => setKeyFor(undefined)}
        />
      )}
      {deleted && (
        <Confirm
          title={t('Remove {name}?', { name: deleted.name })}
          action={t('Remove')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove.mutateAsync({ params: { ...params, user_id: deleted.user_id } })}
        >
          {t('Their keys for this organization stop working immediately. Everything they created is kept.')}
        </Confirm>
      )}
    </Page>
  );
}

function AddMember({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const add = useApiMutation('POST /api/v1/organizations/{organization_id}/users', [LIST]);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('member');
  const submit = () =>
    add.mutate(
      {
        params: { organization_id: session.organization.id },
        body: { name: name.trim(), email: email.trim() || null, role: role as Role },
      },
      { onSuccess: onClose },
    );
  return (
    <Dialog
      title={t('Add a member')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={add.isPending}>
            {t('Add')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={add.error?.findFieldMessage('name')}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label={t('Email')}
        type="email"
        optional
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={add.error?.findFieldMessage('email')}
        autoComplete="off"
      />
      <Select
        label={t('Role')}
        choices={getRoles()}
        value={role}
        onChange={(event) => setRole(event.target.value)}
      />
      {add.error && <Failure error={add.error} what={t('The member could not be added')} />}
    </Dialog>
  );
}
