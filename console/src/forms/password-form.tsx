import { type FormEvent, useState } from 'react';
import { t } from '../i18n/messages.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Failure } from '../ui/states.tsx';
import styles from './password-form.module.css';

interface PasswordFormProps {
  /** Explains how the password is used and stored. */
  hint: string;
  /**
   * Tries again with the entered password. If the promise rejects, the form shows the error and the user has
   * to enter the password again.
   */
  onPassword: (password: string) => Promise<unknown>;
}

/** Asks for the password of a protected file. The field is cleared as soon as the password has been sent. */
export function PasswordForm({ hint, onPassword }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setMissing(password === '');
    if (password === '' || isBusy) return;
    setBusy(true);
    setError(undefined);
    setPassword('');
    try {
      await onPassword(password);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={t('Password')}
        type="password"
        autoComplete="off"
        hint={hint}
        error={isMissing ? t('Enter the password of the file.') : undefined}
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <div>
        <Button writes type="submit" look="primary" icon="key" busy={isBusy}>
          {t('Try again with password')}
        </Button>
      </div>
      {error !== undefined && <Failure error={error} what={t('The retry failed')} />}
    </form>
  );
}
