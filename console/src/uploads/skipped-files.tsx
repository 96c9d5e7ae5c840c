import { t } from '../i18n/messages.ts';
import { Button } from '../ui/button.tsx';
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
      <Notice tone="info" icon="about" title={t('Some files were skipped')}>
        {skipped.length > 0 && (
          <span>
            {t(
              '{count, plural, one {# hidden or system file} other {# hidden or system files}} skipped: {names}',
              { count: skipped.length, names: listPaths(skipped) },
            )}
          </span>
        )}
        {unreadable.length > 0 && (
          <span>
            {t('{count, plural, one {# file} other {# files}} could not be read by the browser: {names}', {
              count: unreadable.length,
              names: listPaths(unreadable),
            })}
          </span>
        )}
        {onDismiss && (
          <div className={styles.actions}>
            <Button small onClick={onDismiss}>
              {t('Dismiss')}
            </Button>
          </div>
        )}
      </Notice>
    </div>
  );
}

function listPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).join(', ');
  return paths.length > MAX_NAMED
    ? t('{names} and {count} more', { names: named, count: paths.length - MAX_NAMED })
    : named;
}
