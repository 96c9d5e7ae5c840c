import { Button } from '../ui/button.tsx';
import { plural } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import type { Picked } from './picked.ts';
import styles from './uploads.module.css';

/** Most paths that are named; there may be thousands in a folder. */
const MOST_NAMED = 10;

/** Says which files of a folder are not uploaded. */
export function LeftOut({
  skipped,
  unreadable,
  onDismiss,
}: Pick<Picked, 'skipped' | 'unreadable'> & { onDismiss?: () => void }) {
  if (skipped.length + unreadable.length === 0) return null;
  return (
    <div role="status">
      <Notice tone="info" icon="about" title="Some files were left out">
        {skipped.length > 0 && (
          <span>
            {plural(skipped.length, 'hidden or system file')} skipped: {list(skipped)}
          </span>
        )}
        {unreadable.length > 0 && (
          <span>
            {plural(unreadable.length, 'file')} could not be read by the browser: {list(unreadable)}
          </span>
        )}
        {onDismiss && (
          <div className={styles.actions}>
            <Button small onClick={onDismiss}>
              Dismiss
            </Button>
          </div>
        )}
      </Notice>
    </div>
  );
}

function list(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).join(', ');
  return paths.length > MOST_NAMED ? `${named} and ${paths.length - MOST_NAMED} more` : named;
}
