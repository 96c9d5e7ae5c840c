import { Button } from '../ui/button.tsx';
import { plural } from '../ui/format.ts';
import { Notice } from '../ui/notice.tsx';
import type { Picked } from './picked.ts';
import styles from './uploads.module.css';

/** Maximum number of skipped files that are listed by path, because a folder may contain thousands. */
const MAX_NAMED = 10;

/** Lists the files of a chosen folder that will not be uploaded. */
export function SkippedFiles({
  skipped,
  unreadable,
  onDismiss,
}: Pick<Picked, 'skipped' | 'unreadable'> & { onDismiss?: () => void }) {
  if (skipped.length + unreadable.length === 0) return null;
  return (
    <div role="status">
      <Notice tone="info" icon="about" title="Some files were skipped">
        {skipped.length > 0 && (
          <span>
            {plural(skipped.length, 'hidden or system file')} skipped: {listPaths(skipped)}
          </span>
        )}
        {unreadable.length > 0 && (
          <span>
            {plural(unreadable.length, 'file')} could not be read by the browser: {listPaths(unreadable)}
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

function listPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).join(', ');
  return paths.length > MAX_NAMED ? `${named} and ${paths.length - MAX_NAMED} more` : named;
}
