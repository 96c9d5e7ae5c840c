import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import type { FailedUpload } from './create-index.ts';
import styles from './indexes.module.css';

/** Index that was created although some of its contents could not be added. */
export interface CreatedIndex {
  id: string;
  failed: FailedUpload[];
  /** Error because of which no files or data sources could be added to the new index. */
  failure?: unknown;
}

/** Lists the files that could not be added, and offers a retry. */
export function IncompleteIndex({
  created: { failed, failure },
  busy,
  onRetry,
  onOpen,
}: {
  created: CreatedIndex;
  busy: boolean;
  onRetry: () => void;
  onOpen: () => void;
}) {
  const actions = (
    <>
      {failed.length > 0 && (
        <Button icon="retry" busy={busy} onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
      <Button look="primary" onClick={onOpen}>
        {t('Go to the index')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('The index was created')} onClose={onOpen} actions={actions}>
      {failure !== undefined && <Failure error={failure} what={t('Its contents could not be added')} />}
      {failed.length > 0 && (
        <>
          <p role="alert">
            {t('{count, plural, one {# file} other {# files}} could not be added.', {
              count: failed.length,
            })}
          </p>
          <ul className={styles.files}>
            {failed.map(({ uploadId, title, reason }) => (
              <li key={uploadId}>
                <span className={styles.file}>
                  {title}
                  <br />
                  <span className={styles.reason}>{reason}</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
