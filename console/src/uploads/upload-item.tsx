import { ApiError } from '../api/errors.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { bytes } from '../ui/format.ts';
import { Progress } from '../ui/states.tsx';
import { type Upload, type UploadQueue, uploadTitle } from './queue.ts';
import styles from './uploads.module.css';

export function UploadItem({ upload, queue }: { upload: Upload; queue: UploadQueue }) {
  const { id, size, state, sent, error } = upload;
  const title = uploadTitle(upload);
  return (
    <li className={styles.item}>
      <span className={styles.name}>
        {title} <small>{bytes(size)}</small>
      </span>
      <div className={styles.state}>
        {state === 'sending' && <Progress label={`Upload of ${title}`} done={sent} total={size} />}
        {state === 'failed' && <Problem error={error} />}
        {state === 'duplicate' && (
          <>
            <Badge tone="warn" icon="copy">
              Duplicate
            </Badge>{' '}
            {upload.path === undefined
              ? 'A file with this name already exists.'
              : 'A file with this path already exists in the project. Uploading it again replaces its contents.'}
          </>
        )}
        {state === 'interrupted' && (
          <>
            <Badge tone="warn" icon="warning">
              Not uploaded
            </Badge>{' '}
            The page was reloaded before this file was stored.
          </>
        )}
        {state === 'cancelled' && <Badge icon="stop">Cancelled</Badge>}
      </div>
      <div className={styles.actions}>
        {state === 'sending' ? (
          <Button small onClick={() => queue.cancel(id)} aria-label={`Cancel ${title}`}>
            Cancel
          </Button>
        ) : (
          <>
            {state !== 'interrupted' && (
              <Button small onClick={() => queue.retry(id)} aria-label={`${getRetryLabel(upload)}: ${title}`}>
                {getRetryLabel(upload)}
              </Button>
            )}
            <Button small look="quiet" onClick={() => queue.dismiss([id])} aria-label={`Dismiss ${title}`}>
              Dismiss
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

function getRetryLabel({ state, path }: Upload): string {
  if (state !== 'duplicate') return 'Try again';
  return path === undefined ? 'Upload anyway' : 'Replace';
}

function Problem({ error }: { error: unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <>
      <Badge tone="bad" icon="failed">
        Failed
      </Badge>{' '}
      {error instanceof Error ? error.message : String(error)}
      {requestId && (
        <>
          {' '}
          Request <code>{requestId}</code>
        </>
      )}
    </>
  );
}
