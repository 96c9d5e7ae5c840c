import { ApiError } from '../api/errors.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { bytes } from '../ui/format.ts';
import { Progress } from '../ui/states.tsx';
import type { Upload, UploadQueue } from './queue.ts';
import styles from './uploads.module.css';

/** One file of the queue, with what can be done about it. */
export function UploadItem({ upload, queue }: { upload: Upload; queue: UploadQueue }) {
  const { id, file, state, sent, error } = upload;
  return (
    <li className={styles.item}>
      <span className={styles.name}>
        {file.name} <small>{bytes(file.size)}</small>
      </span>
      <div className={styles.state}>
        {state === 'sending' && <Progress label={`Upload of ${file.name}`} done={sent} total={file.size} />}
        {state === 'failed' && <Problem error={error} />}
        {state === 'duplicate' && (
          <>
            <Badge tone="warn" icon="copy">
              Already there
            </Badge>{' '}
            A file of this name is there.
          </>
        )}
        {state === 'cancelled' && <Badge icon="stop">Cancelled</Badge>}
      </div>
      <div className={styles.actions}>
        {state === 'sending' ? (
          <Button small onClick={() => queue.cancel(id)} aria-label={`Cancel ${file.name}`}>
            Cancel
          </Button>
        ) : (
          <>
            <Button small onClick={() => queue.retry(id)} aria-label={`${again(upload)}: ${file.name}`}>
              {again(upload)}
            </Button>
            <Button
              small
              look="quiet"
              onClick={() => queue.dismiss([id])}
              aria-label={`Dismiss ${file.name}`}
            >
              Dismiss
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

const again = ({ state }: Upload) => (state === 'duplicate' ? 'Upload anyway' : 'Try again');

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
