import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon, type IconName } from './icons.tsx';
import styles from './states.module.css';

/** Nothing is there yet, or nothing matches: one sentence and one thing to do. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={styles.empty}>
      <span className={styles.emblem}>
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** What went wrong, in the service's words, with the id that its log knows it by. */
export function Failure({
  error,
  what,
  onRetry,
}: {
  error: unknown;
  /** "The indexes could not be read" */
  what: string;
  onRetry?: (() => void) | undefined;
}) {
  const told = error instanceof ApiError ? error : undefined;
  const wait = useCountdown(told?.retryAfter);
  return (
    <div className={styles.failure} role="alert">
      <strong>{what}</strong>
      <span className={styles.said}>{error instanceof Error ? error.message : String(error)}</span>
      {(told?.requestId || onRetry) && (
        <div className={styles.row}>
          {onRetry && (
            <Button small icon="retry" onClick={onRetry} disabled={wait > 0}>
              {wait > 0 ? `Try again in ${wait} s` : 'Try again'}
            </Button>
          )}
          {told?.requestId && (
            <span>
              Request <code>{told.requestId}</code>{' '}
              <CopyButton text={told.requestId} label="Copy the request’s id" />
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** Whole seconds that are left of `seconds`. */
function useCountdown(seconds = 0): number {
  const [left, setLeft] = useState(Math.ceil(seconds));
  useEffect(() => {
    setLeft(Math.ceil(seconds));
    if (seconds <= 0) return;
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}

/** Rows in the place of what is being read; shown when that takes longer than a blink. */
export function Skeleton({ rows = 5, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

interface Read<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/** Shows what was read; until then its skeleton, and why it could not be. Old data stay beside a failure. */
export function Loaded<Data>({
  read,
  what,
  rows,
  children,
}: {
  read: Read<Data>;
  /** "The indexes could not be read" */
  what: string;
  rows?: number;
  children: (data: Data) => ReactNode;
}) {
  const retry = () => void read.refetch();
  return (
    <>
      {read.error != null && <Failure error={read.error} what={what} onRetry={retry} />}
      {read.data !== undefined ? children(read.data) : read.isPending && <Skeleton {...(rows && { rows })} />}
    </>
  );
}

/** How far something with a known end has come. */
export function Progress({
  done,
  failed = 0,
  total,
  label,
  children,
}: {
  done: number;
  failed?: number;
  total: number;
  label: string;
  children?: ReactNode;
}) {
  const share = (count: number) => `${total > 0 ? Math.min(100, (count / total) * 100) : 0}%`;
  return (
    <div className={styles.progress}>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(total, done + failed)}
      >
        <Share className={styles.done!} share={share(done)} />
        <Share className={styles.failed!} share={share(failed)} />
      </div>
      {children}
    </div>
  );
}

/** React sets the width through the style object, which the page's policy allows; an attribute it would not. */
const Share = ({ className, share }: { className: string; share: string }) => (
  <span className={className} style={{ width: share }} />
);
