import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import styles from './indexes.module.css';
import type { NotTaken } from './make-index.ts';

/** An index that is there, though not all that was to go in. */
export interface Made {
  id: string;
  failed: NotTaken[];
  /** Why it could not be filled at all. */
  failure?: unknown;
}

/** Says which files were not taken and why, and tries them again. */
export function NotAllTaken({
  made: { failed, failure },
  busy,
  onRetry,
  onGo,
}: {
  made: Made;
  busy: boolean;
  onRetry: () => void;
  onGo: () => void;
}) {
  const actions = (
    <>
      {failed.length > 0 && (
        <Button icon="retry" busy={busy} onClick={onRetry}>
          Try again
        </Button>
      )}
      <Button look="primary" onClick={onGo}>
        Go to the index
      </Button>
    </>
  );
  return (
    <Dialog title="The index is made" onClose={onGo} actions={actions}>
      {failure !== undefined && <Failure error={failure} what="It could not be filled" />}
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
