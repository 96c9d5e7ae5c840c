import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { LanguageMenu } from '../i18n/language-menu.tsx';
import { t } from '../i18n/messages.ts';
import mark from '../mark.svg';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { IdentityProviders, SignInRefusal } from './identity-providers.tsx';
import styles from './sign-in.module.css';

interface SignInProps {
  onSignedIn: () => Promise<void>;
}

/**
 * Exchanges the API key for a session cookie that scripts cannot read. The key itself is not stored, and the
 * field is cleared.
 */
function useSignIn(onSignedIn: SignInProps['onSignedIn']) {
  const form = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const signIn = async () => {
    const input = form.current?.querySelector('input');
    const key = input?.value.trim() ?? '';
    if (!key) {
      setError(t('Enter an API key.'));
      input?.focus();
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      await call('POST /api/v1/session', { body: { api_key: key } });
      if (input) input.value = '';
      await onSignedIn();
    } catch (failure) {
      setError(explain(failure));
      input?.focus();
      input?.select();
    } finally {
      setBusy(false);
    }
  };
  return { form, error, busy, signIn };
}

function explain(failure: unknown): string {
  if (!(failure instanceof ApiError)) return String(failure);
  if (failure.status !== 403) return failure.message;
  return t('{message} A proxy may have changed the address. Set PUBLIC_URL to {origin}.', {
    message: failure.message,
    origin: location.origin,
  });
}

const KeyField = ({ error }: { error: string | undefined }) => (
  <TextField
    label={t('API key')}
    name="api_key"
    type="password"
    autoComplete="current-password"
    spellCheck={false}
    required
    autoFocus
    error={error}
    hint={t('npm start prints the first key. You also find it in .dev.vars as BOOTSTRAP_API_KEY.')}
  />
);

export function SignIn({ onSignedIn }: SignInProps) {
  const { form, error, busy, signIn } = useSignIn(onSignedIn);
  useEffect(() => {
    document.title = t('Sign in · Sluice');
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void signIn();
  };
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={submit} noValidate>
        <h1>
          <img src={mark} alt="" width="32" height="32" />
          Sluice
        </h1>
        <SignInRefusal />
        <IdentityProviders />
        <div ref={form}>
          <KeyField error={error} />
        </div>
        <Button look="primary" type="submit" busy={busy}>
          {t('Sign in')}
        </Button>
        <p className={styles.hint}>
          {t('The key is exchanged for a 12-hour session and is not stored in this browser.')}
        </p>
        <LanguageMenu />
      </form>
    </main>
  );
}

/**
 * Calls `onSignedIn` when the user returns to this tab after signing in with another tab, for example with an
 * identity provider.
 */
function useSignInElsewhere(onSignedIn: SignInProps['onSignedIn']): void {
  useEffect(() => {
    let isChecking = false;
    const check = async () => {
      if (isChecking || document.visibilityState !== 'visible') return;
      isChecking = true;
      try {
        await call('GET /api/v1/session', {});
        await onSignedIn();
      } catch {
        // The session has still ended, so the dialog stays.
      } finally {
        isChecking = false;
      }
    };
    const listener = () => void check();
    addEventListener('focus', listener);
    document.addEventListener('visibilitychange', listener);
    return () => {
      removeEventListener('focus', listener);
      document.removeEventListener('visibilitychange', listener);
    };
  }, [onSignedIn]);
}

/** Dialog above a page whose session has ended. Text typed on the page is kept. */
export function SignInDialog({ onSignedIn }: SignInProps) {
  useSignInElsewhere(onSignedIn);
  const { form, error, busy, signIn } = useSignIn(onSignedIn);
  const actions = (
    <Button look="primary" type="submit" busy={busy}>
      {t('Sign in')}
    </Button>
  );
  return (
    <Dialog
      title={t('Your session has ended')}
      isBlocking
      onClose={() => {}}
      onSubmit={signIn}
      actions={actions}
    >
      <p>{t('Sign in again to continue. Text that you have typed is kept.')}</p>
      <IdentityProviders inNewTab />
      <div ref={form}>
        <KeyField error={error} />
      </div>
    </Dialog>
  );
}
