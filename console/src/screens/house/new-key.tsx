import { useState } from 'react';
import { useAction, useAnswer } from '../../api/hooks.ts';
import { useSession } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import styles from './house.module.css';

const ENDS = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];
const DAY_MS = 86_400_000;

/** Makes a key, for a member where `userId` names one, and shows it the only time that it can be seen. */
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
  const projects = useAnswer('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const make = useAction('POST /api/v1/api-keys', ['GET /api/v1/api-keys']);
  const [name, setName] = useState('');
  const [scope, setScope] = useState(session.project_id ?? project ?? '');
  const [days, setDays] = useState('');

  if (make.data) {
    const key = make.data.redacted_api_key;
    return (
      <Dialog
        title="Copy the key now"
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <p>It cannot be shown again. Keep it where programs keep secrets.</p>
        <div className={styles.secret}>
          <code>{key}</code>
          <CopyButton text={key} label="Copy the key">
            Copy
          </CopyButton>
        </div>
      </Dialog>
    );
  }
  const everywhere = session.project_id === null ? [{ value: '', label: 'Every project' }] : [];
  const choices = [
    ...everywhere,
    ...(projects.data ?? []).map((each) => ({ value: each.id, label: each.name })),
  ];
  const submit = () =>
    make.mutate({
      body: {
        name: name.trim() || null,
        project_id: scope || null,
        ...(days && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        ...(member && { user_id: member.id }),
      },
    });
  return (
    <Dialog
      title={member ? `New key for ${member.name}` : 'New key'}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={make.isPending}>
            Make the key
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        hint="Say which program will use it."
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={make.error?.of('name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
      />
      <Select
        label="Reaches"
        choices={choices}
        value={scope}
        onChange={(event) => setScope(event.target.value)}
      />
      <Select
        label="Ends"
        choices={ENDS}
        value={days}
        onChange={(event) => setDays(event.target.value)}
        error={make.error?.of('expires_at')}
      />
      {make.error && <Failure error={make.error} what="The key was not made" />}
    </Dialog>
  );
}
