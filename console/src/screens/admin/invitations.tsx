import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useSession } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { moment } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './admin.module.css';
import { ROLE_LABELS, ROLES, type Role } from './roles.ts';

const LIST = 'GET /api/v1/organizations/{organization_id}/invitations';
const CREATE = 'POST /api/v1/organizations/{organization_id}/invitations';
const REVOKE = 'DELETE /api/v1/organizations/{organization_id}/invitations/{invitation_id}';
type Invitation = Answer<typeof LIST>['items'][number];

const STATES = { pending: 'Pending', accepted: 'Accepted', expired: 'Expired' } as const;

/** Table of the organization's invitations, for admins. */
export function Invitations() {
  const { session } = useSession();
  const params = { organization_id: session.organization.id };
  const read = useApiQuery(LIST, { params });
  const revoke = useApiMutation(REVOKE, [LIST]);
  const [revoked, setRevoked] = useState<Invitation>();
  const columns: Column<Invitation>[] = [
    { key: 'email', header: 'Email', cell: ({ email }) => email ?? 'Anyone with the link' },
    { key: 'role', header: 'Role', cell: ({ role }) => ROLE_LABELS[role] },
    { key: 'state', header: 'State', cell: ({ state }) => STATES[state] },
    { key: 'made', header: 'Created', cell: ({ created_at }) => moment(created_at) },
    { key: 'ends', header: 'Expires', cell: ({ expires_at }) => moment(expires_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">Actions</span>,
      cell: (invitation) => (
        <Menu
          label={`Actions for the invitation of ${invitation.email ?? 'anyone'}`}
          items={[{ label: 'Revoke', icon: 'trash', danger: true, onChoose: () => setRevoked(invitation) }]}
        />
      ),
    },
  ];
  return (
    <section>
      <h2>Invitations</h2>
      <Loaded read={read} what="The invitations could not be read">
        {({ items }) =>
          items.length > 0 ? (
            <Table label="Invitations" columns={columns} rows={items} getRowKey={({ id }) => id} />
          ) : (
            <p>No invitations yet.</p>
          )
        }
      </Loaded>
      {revoked && (
        <Confirm
          title="Revoke the invitation?"
          action="Revoke"
          onClose={() => setRevoked(undefined)}
          onConfirm={() => revoke.mutateAsync({ params: { ...params, invitation_id: revoked.id } })}
        >
          The link stops working immediately. A member who has used it stays.
        </Confirm>
      )}
    </section>
  );
}

/** Dialog that creates an invitation and shows its link once. */
export function Invite({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const create = useApiMutation(CREATE, [LIST]);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const params = { organization_id: session.organization.id };
  if (create.data) {
    return (
      <Dialog
        title="Copy the link now"
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <p>Send the link to the new member. It works once, for seven days, and cannot be shown again.</p>
        <div className={styles.secret}>
          <code>{create.data.url}</code>
          <CopyButton text={create.data.url} label="Copy the link">
            Copy
          </CopyButton>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Invite a member"
      onClose={onClose}
      onSubmit={() => create.mutate({ params, body: { email: email.trim() || null, role } })}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            Create link
          </Button>
        </>
      }
    >
      <TextField
        label="Email"
        type="email"
        optional
        hint="Sluice sends no email. With an address, the member can also sign in with an identity provider."
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={create.error?.findFieldMessage('email')}
        autoComplete="off"
        autoFocus
      />
      <Select
        label="Role"
        choices={ROLES}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      />
      {create.error && <Failure error={create.error} what="The invitation could not be created" />}
    </Dialog>
  );
}
