import { type FormEvent, useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { t } from '../i18n/messages.ts';
import mark from '../mark.svg';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { TextField } from '../ui/field.tsx';
import styles from './sign-in.module.css';

/** Whether the page was opened with the link of an invitation. */
export const isInvitation = () => /^\/console\/invitation\/?$/.test(location.pathname);

/**
 * Takes the token out of the address, so that neither the history of the browser nor a copied address contains
 * it.
 */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(null, '', location.pathname);
  return token;
}

/** Page on which a new member accepts an invitation. It shows the member's API key once. */
export function AcceptInvitation() {
  const [token] = useState(takeToken);
  const [name, setName] = useState('');
  const [key, setKey] = useState<string>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = t('Invitation · Sluice');
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return setError(t('Enter your name.'));
    setBusy(true);
    setError(undefined);
    try {
      const answer = await call('POST /api/v1/invitations/accept', { body: { token, name: name.trim() } });
      setKey(answer.api_key);
    } catch (failure) {
      setError(explain(failure));
    } finally {
      setBusy(false);
    }
  };
  if (!token) return <NoToken />;
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={(event) => void submit(event)} noValidate>
        <h1>
          <img src={mark} alt="" width="32" height="32" />
          {key ? t('Welcome') : t('You are invited')}
        </h1>
        {key ? (
          <>
            <p>{t('Copy your API key now. You need it to sign in again, and it cannot be shown again.')}</p>
            <code>{key}</code>
            <CopyButton text={key} label={t('Copy the key')}>
              {t('Copy')}
            </CopyButton>
            <Button look="primary" onClick={() => location.assign('/console/')}>
              {t('Open the console')}
            </Button>
          </>
        ) : (
          <>
            <TextField
              label={t('Your name')}
              value={name}
              onChange={(event) => setName(event.target.value)}
              error={error}
              autoComplete="name"
              maxLength={255}
              autoFocus
            />
            <Button look="primary" type="submit" busy={busy}>
              {t('Join')}
            </Button>
          </>
        )}
      </form>
    </main>
  );
}

function explain(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 404)
    return t('This invitation was used, has expired or was revoked. Ask for a new one.');
  return failure instanceof Error ? failure.message : String(failure);
}

/** Explains why there is no invitation after the page was reloaded, because the address has no token then. */
function NoToken() {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>
          <img src={mark} alt="" width="32" height="32" />
          {t('Invitation')}
        </h1>
        <p>{t('Open the link of your invitation again. A reloaded page no longer has it.')}</p>
        <Button onClick={() => location.assign('/console/')}>{t('Open the console')}</Button>
      </div>
    </main>
  );
}
