import { ApiError } from '../api/errors.ts';
import { rich, t } from '../i18n/messages.ts';
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
        {state === 'sending' && (
          <Progress label={t('Upload of {title}', { title })} done={sent} total={size} />
        )}
        {state === 'failed' && <Problem error={error} />}
        {state === 'duplicate' && (
          <>
            <Badge tone="warn" icon="copy">
              {t('Duplicate')}
            </Badge>{' '}
            {upload.path === undefined
              ? t('A file with this name already exists.')
              : t(
                  'A file with this path already exists in the project. Uploading it again replaces its contents.',
                )}
          </>
        )}
        {state === 'interrupted' && (
          <>
            <Badge tone="warn" icon="warning">
              {t('Not uploaded')}
            </Badge>{' '}
            {t('The page was reloaded before this file was stored.')}
          </>
        )}
        {state === 'cancelled' && <Badge icon="stop">{t('Cancelled')}</Badge>}
      </div>
      <div className={styles.actions}>
        {state === 'sending' ? (
          <Button small onClick={() => queue.cancel(id)} aria-label={t('Cancel {title}', { title })}>
            {t('Cancel')}
          </Button>
        ) : (
          <>
            {state !== 'interrupted' && (
              <Button small onClick={() => queue.retry(id)} aria-label={`${getRetryLabel(upload)}: ${title}`}>
                {getRetryLabel(upload)}
              </Button>
            )}
            <Button
              small
              look="quiet"
              onClick={() => queue.dismiss([id])}
              aria-label={t('Dismiss {title}', { title })}
            >
              {t('Dismiss')}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

function getRetryLabel({ state, path }: Upload): string {
  if (state !== 'duplicate') return t('Try again');
  return path === undefined ? t('Upload anyway') : t('Replace');
}

function Problem({ error }: { error: unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <>
      <Badge tone="bad" icon="failed">
        {t('Failed')}
      </Badge>{' '}
      {error instanceof Error ? error.message : String(error)}
      {requestId && (
        <> {rich('Request <code>{id}</code>', { id: requestId, code: (chunks) => <code>{chunks}</code> })}</>
      )}
    </>
  );
}
