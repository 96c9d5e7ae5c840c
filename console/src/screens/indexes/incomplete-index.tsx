import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
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
          Try again
        </Button>
      )}
      <Button look="primary" onClick={onOpen}>
        Go to the index
      </Button>
    </>
  );
  return (
    <Dialog title="The index was created" onClose={onOpen} actions={actions}>
      {failure !== undefined && <Failure error={failure} what="Its contents could not be added" />}
      {failed.length > 0 && (
        <>
          <p role="alert">{plural(failed.length, 'file')} could not be added.</p>
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
