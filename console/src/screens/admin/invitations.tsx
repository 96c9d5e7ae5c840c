import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
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
import { getRoleLabels, getRoles, type Role } from './roles.ts';

const LIST = 'GET /api/v1/organizations/{organization_id}/invitations';
const CREATE = 'POST /api/v1/organizations/{organization_id}/invitations';
const REVOKE = 'DELETE /api/v1/organizations/{organization_id}/invitations/{invitation_id}';
type Invitation = Answer<typeof LIST>['items'][number];

const getStates = () => ({ pending: t('Pending'), accepted: t('Accepted'), expired: t('Expired') }) as const;

/** Table of the organization's invitations, for admins. */
export function Invitations() {
  const { session } = useSession();
  const params = { organization_id: session.organization.id };
  const read = useApiQuery(LIST, { params });
  const revoke = useApiMutation(REVOKE, [LIST]);
  const [revoked, setRevoked] = useState<Invitation>();
  const columns: Column<Invitation>[] = [
    { key: 'email', header: t('Email'), cell: ({ email }) => email ?? t('Anyone with the link') },
    { key: 'role', header: t('Role'), cell: ({ role }) => getRoleLabels()[role] },
    { key: 'state', header: t('State'), cell: ({ state }) => getStates()[state] },
    { key: 'made', header: t('Created'), cell: ({ created_at }) => moment(created_at) },
    { key: 'ends', header: t('Expires'), cell: ({ expires_at }) => moment(expires_at) },
    {
      key: 'more',
      header: <span className="visually-hidden">{t('Actions')}</span>,
      cell: (invitation) => (
        <Menu
          label={t('Actions for the invitation of {email}', { email: invitation.email ?? t('anyone') })}
          items={[
            { label: t('Revoke'), icon: 'trash', danger: true, onChoose: () => setRevoked(invitation) },
          ]}
        />
      ),
    },
  ];
  return (
    <section>
      <h2>{t('Invitations')}</h2>
      <Loaded read={read} what={t('The invitations could not be read')}>
        {({ items }) =>
          items.length > 0 ? (
            <Table label={t('Invitations')} columns={columns} rows={items} getRowKey={({ id }) => id} />
          ) : (
            <p>{t('No invitations yet.')}</p>
          )
        }
      </Loaded>
      {revoked && (
        <Confirm
          title={t('Revoke the invitation?')}
          action={t('Revoke')}
          onClose={() => setRevoked(undefined)}
          onConfirm={() => revoke.mutateAsync({ params: { ...params, invitation_id: revoked.id } })}
        >
          {t('The link stops working immediately. A member who has used it stays.')}
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
        title={t('Copy the link now')}
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        }
      >
        <p>
          {t('Send the link to the new member. It works once, for seven days, and cannot be shown again.')}
        </p>
        <div className={styles.secret}>
          <code>{create.data.url}</code>
          <CopyButton text={create.data.url} label={t('Copy the link')}>
            {t('Copy')}
          </CopyButton>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={t('Invite a member')}
      onClose={onClose}
      onSubmit={() => create.mutate({ params, body: { email: email.trim() || null, role } })}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            {t('Create link')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Email')}
        type="email"
        optional
        hint={t(
          'Sluice sends no email. With an address, the member can also sign in with an identity provider.',
        )}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={create.error?.findFieldMessage('email')}
        autoComplete="off"
        autoFocus
      />
      <Select
        label={t('Role')}
        choices={getRoles()}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      />
      {create.error && <Failure error={create.error} what={t('The invitation could not be created')} />}
    </Dialog>
  );
}
