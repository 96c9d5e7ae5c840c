import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { TextField } from './field.tsx';
import { Failure } from './states.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** What the form at its heart does when it is sent; without one, Enter does nothing. */
  onSubmit?: () => void;
  actions?: ReactNode;
  wide?: boolean;
  /** It cannot be left: there is no cross, and Escape does nothing. */
  held?: boolean;
  children: ReactNode;
}

const FIELDS = 'input:not([hidden], :disabled), select:not(:disabled), textarea:not(:disabled)';

/**
 * A modal dialog of the browser's own kind: focus stays within and goes back to where it came from. Where something
 * is to be done, it begins at the first field, or without one at the first action.
 */
export function Dialog({ title, onClose, onSubmit, actions, wide, held, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current!;
    dialog.showModal();
    // The browser would begin at the cross, which stands first.
    const begin =
      dialog.querySelector<HTMLElement>(FIELDS) ??
      dialog.querySelector<HTMLElement>(`.${styles.foot} button:not(:disabled)`);
    if (dialog.querySelector(`.${styles.foot}`)) begin?.focus();
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
        <h2 id={titleId}>{title}</h2>
        {!held && <IconButton icon="close" label="Close" small onClick={onClose} />}
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
        if (!held) onClose();
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
  /** What will be lost. */
  children: ReactNode;
  /** The word on the button: "Delete", "Remove 3 files". */
  action: string;
  /** To be typed before the button can be pressed, for what is large. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is destroyed. Closes itself when that is done; a failure is shown in it. */
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
        Cancel
      </Button>
      <Button look="danger" type="submit" busy={busy} disabled={typed !== undefined && word !== typed}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} onSubmit={confirm} actions={actions}>
      <div>{children}</div>
      {typed !== undefined && (
        <TextField
          label={
            <>
              Type <strong>{typed}</strong> to go on
            </>
          }
          value={word}
          onChange={(event) => setWord(event.target.value)}
          autoComplete="off"
          autoFocus
        />
      )}
      {error !== undefined && <Failure error={error} what={`${action} failed`} />}
    </Dialog>
  );
}
