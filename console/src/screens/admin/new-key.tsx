import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useSession } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from './admin.module.css';
import { getScopeChoices, type KeyScope } from './key-scopes.ts';

const getExpiryChoices = () => [
  { value: '', label: t('Never') },
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
];
const DAY_MS = 86_400_000;

/** Dialog that creates an API key and shows it once. With `member`, the key is created for that user. */
export function NewKey({
  project,
  member,
  onClose,
}: {
  project: string | undefined;
  member?: { id: string; name: string };
  onClose: () => void;
}) {
  const { session } = useSession();
  const projects = useApiQuery('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const create = useApiMutation('POST /api/v1/api-keys', ['GET /api/v1/api-keys']);
  const [name, setName] = useState('');
  const [reach, setReach] = useState(session.project_id ?? project ?? '');
  const [days, setDays] = useState('');
  const [scope, setScope] = useState<KeyScope>('admin');

  if (create.data) {
    const key = create.data.redacted_api_key;
    return (
      <Dialog
        title={t('Copy the key now')}
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        }
      >
        <p>{t('It cannot be shown again. Store it in a safe place.')}</p>
        <div className={styles.secret}>
          <code>{key}</code>
          <CopyButton text={key} label={t('Copy the key')}>
            {t('Copy')}
          </CopyButton>
        </div>
      </Dialog>
    );
  }
  const everywhere = session.project_id === null ? [{ value: '', label: t('All projects') }] : [];
  const choices = [
    ...everywhere,
    ...(projects.data ?? []).map((each) => ({ value: each.id, label: each.name })),
  ];
  const submit = () =>
    create.mutate({
      body: {
        name: name.trim() || null,
        project_id: reach || null,
        ...(days && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        ...(member && { user_id: member.id }),
        scopes: [scope],
      },
    });
  return (
    <Dialog
      title={member ? t('New key for {name}', { name: member.name }) : t('New key')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            {t('Create key')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        hint={t('Name the program that will use the key.')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={create.error?.findFieldMessage('name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
      />
      <Select
        label={t('Access')}
        choices={choices}
        value={reach}
        onChange={(event) => setReach(event.target.value)}
      />
      <Select
        label={t('Expires')}
        choices={getExpiryChoices()}
        value={days}
        onChange={(event) => setDays(event.target.value)}
        error={create.error?.findFieldMessage('expires_at')}
      />
      <Select
        label={t('Scope')}
        hint={t('Choose the lowest scope with which the program works.')}
        choices={getScopeChoices()}
        value={scope}
        onChange={(event) => setScope(event.target.value as KeyScope)}
        error={create.error?.findFieldMessage('scopes')}
      />
      {create.error && <Failure error={create.error} what={t('The key could not be created')} />}
    </Dialog>
  );
}
