import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { rich, t } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon, type IconName } from './icons.tsx';
import styles from './states.module.css';

/** Placeholder for an empty list or a search without results, with one suggested action. */
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

/** Error message of a failed request, with the request id that appears in the service's log. */
export function Failure({
  error,
  what,
  onRetry,
}: {
  error: unknown;
  /** Short description of the failed action, such as "The indexes could not be read". */
  what: string;
  onRetry?: (() => void) | undefined;
}) {
  const apiError = error instanceof ApiError ? error : undefined;
  const wait = useCountdown(apiError?.retryAfter);
  return (
    <div className={styles.failure} role="alert">
      <strong>{what}</strong>
      <span className={styles.text} dir="auto">
        {error instanceof Error ? error.message : String(error)}
      </span>
      {(apiError?.requestId || onRetry) && (
        <div className={styles.row}>
          {onRetry && (
            <Button small icon="retry" onClick={onRetry} disabled={wait > 0}>
              {wait > 0 ? t('Try again in {seconds} s', { seconds: wait }) : t('Try again')}
            </Button>
          )}
          {apiError?.requestId && (
            <span>
              {rich('Request <code>{id}</code>', {
                id: apiError.requestId,
                code: (chunks) => <code>{chunks}</code>,
              })}{' '}
              <CopyButton text={apiError.requestId} label={t('Copy request ID')} />
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** Counts down from `seconds` and returns the remaining whole seconds. */
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

/**
 * Shows placeholder rows while content is loading. CSS delays the rows, so that they do not flash during
 * short waits.
 */
export function Skeleton({ rows = 5, label = t('Loading') }: { rows?: number; label?: string }) {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical placeholders
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

interface QueryState<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/**
 * Renders query data, a skeleton while loading, or an error with a retry button. Earlier data stays visible
 * next to an error.
 */
export function Loaded<Data>({
  read,
  what,
  rows,
  children,
}: {
  read: QueryState<Data>;
  /** Short description of a failure to load the data, such as "The indexes could not be read". */
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

/** Shows a progress bar, in which failures can have a share of their own. */
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

/**
 * The width is set through the style object, because the Content Security Policy forbids style attributes in
 * HTML.
 */
const Share = ({ className, share }: { className: string; share: string }) => (
  <span className={className} style={{ width: share }} />
);
