import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { rich, t } from '../i18n/messages.ts';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { TextField } from './field.tsx';
import { Failure } from './states.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /**
   * Called when the user submits the dialog's form. If absent, the dialog has no form, and Enter does
   * nothing.
   */
  onSubmit?: () => void;
  actions?: ReactNode;
  wide?: boolean;
  /** True if the user cannot close the dialog. A blocking dialog has no close button and ignores Escape. */
  isBlocking?: boolean;
  children: ReactNode;
}

const FIELDS = 'input:not([hidden], :disabled), select:not(:disabled), textarea:not(:disabled)';

/**
 * Modal dialog based on the browser's `<dialog>`. Focus stays inside and returns to the opener afterwards. If
 * the dialog has actions, the first field gets the focus, or the first action if there is no field. An element
 * with `data-autofocus` gets the focus instead.
 */
export function Dialog({ title, onClose, onSubmit, actions, wide, isBlocking, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current!;
    dialog.showModal();
    // By default the browser would focus the close button, which comes first.
    const wanted = dialog.querySelector<HTMLElement>('[data-autofocus]');
    const begin =
      wanted ??
      dialog.querySelector<HTMLElement>(FIELDS) ??
      dialog.querySelector<HTMLElement>(`.${styles.foot} button:not(:disabled)`);
    if (wanted || dialog.querySelector(`.${styles.foot}`)) begin?.focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit?.();
  };
  const inner = (
    <>
      <div className={styles.head}>
        <h2 id={titleId} dir="auto">
          {title}
        </h2>
        {!isBlocking && <IconButton icon="close" label={t('Close')} small onClick={onClose} />}
      </div>
      <div className={styles.body}>{children}</div>
      {actions && <div className={styles.foot}>{actions}</div>}
    </>
  );
  return (
    <dialog
      ref={ref}
      className={classes(styles.dialog, wide && styles.wide)}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBlocking) onClose();
      }}
    >
      {onSubmit ? (
        <form onSubmit={submit} noValidate>
          {inner}
        </form>
      ) : (
        inner
      )}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** Text that tells the user which data will be lost. */
  children: ReactNode;
  /** Label of the confirming button, such as "Delete" or "Remove 3 files". */
  action: string;
  /** Text that the user has to type before confirming, for deletions with a large effect. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/**
 * Asks for confirmation before a destructive action. Closes when the action succeeds, and shows the error if
 * it fails.
 */
export function Confirm({ title, children, action, typed, onConfirm, onClose }: ConfirmProps) {
  const [word, setWord] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async () => {
    if (typed !== undefined && word !== typed) return;
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const actions = (
    <>
      <Button onClick={onClose} autoFocus={typed === undefined}>
        {t('Cancel')}
      </Button>
      <Button
        writes={false}
        look="danger"
        type="submit"
        busy={busy}
        disabled={typed !== undefined && word !== typed}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} onSubmit={confirm} actions={actions}>
      <div>{children}</div>
      {typed !== undefined && (
        <TextField
          label={rich('Type <strong>{typed}</strong> to confirm', {
            typed,
            strong: (chunks) => <strong>{chunks}</strong>,
          })}
          value={word}
          onChange={(event) => setWord(event.target.value)}
          autoComplete="off"
          autoFocus
        />
      )}
      {error !== undefined && <Failure error={error} what={t('{action} failed', { action })} />}
    </Dialog>
  );
}
