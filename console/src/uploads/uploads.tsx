import { useEffect, useRef } from 'react';
import { t } from '../i18n/messages.ts';
import { announce } from '../ui/announce.tsx';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Notice } from '../ui/notice.tsx';
import { Card } from '../ui/page.tsx';
import { Progress } from '../ui/states.tsx';
import { chooseFromDisk, pickFiles } from './picked.ts';
import type { Upload, UploadQueue } from './queue.ts';
import { SkippedFiles } from './skipped-files.tsx';
import { UploadItem } from './upload-item.tsx';
import styles from './uploads.module.css';
import { useDrop, type useUploads } from './use-uploads.ts';

/** `folder` is the folder of the project into which the user uploads. */
export function UploadButton({
  queue,
  folder,
  children,
}: {
  queue: UploadQueue;
  folder?: string;
  children: string;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={children}
        onChange={({ currentTarget }) => {
          queue.add(pickFiles(currentTarget.files ?? []), folder);
          // The input is cleared, so that the user can choose the same files again.
          currentTarget.value = '';
        }}
      />
      <Button
        writes
        icon="upload"
        onClick={() => void chooseFromDisk('folder').then((picked) => queue.add(picked, folder))}
      >
        {t('Upload folder')}
      </Button>
      <Button writes look="primary" icon="upload" onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}

/** Shows the progress and the errors of uploads. Files can be dropped anywhere on the page. */
export function Uploads({
  queue,
  uploads,
  skippedFiles,
  folder,
}: ReturnType<typeof useUploads> & { folder?: string }) {
  const isOver = useDrop((picked) => queue.add(picked, folder));
  const hasSkippedFiles = skippedFiles.skipped.length + skippedFiles.unreadable.length > 0;
  return (
    <>
      {isOver && (
        <div className={styles.over}>
          <span>
            <Icon name="upload" size={28} /> {t('Drop files or folders to upload them')}
          </span>
        </div>
      )}
      {hasSkippedFiles && <SkippedFiles {...skippedFiles} onDismiss={() => queue.dismissSkippedFiles()} />}
      {uploads.length > 0 && <UploadCard queue={queue} uploads={uploads} />}
    </>
  );
}

function UploadCard({ queue, uploads }: { queue: UploadQueue; uploads: readonly Upload[] }) {
  const byState = (...states: Upload['state'][]) => uploads.filter(({ state }) => states.includes(state));
  const sending = byState('sending');
  const waiting = byState('waiting');
  const interrupted = byState('interrupted');
  const needsAction = [...interrupted, ...byState('failed', 'duplicate', 'cancelled')];
  const done = byState('done');
  const failed = byState('failed').length;
  const uploaded = done.length + byState('stored').length;
  const open = sending.length + waiting.length + byState('stored').length;
  useEndAnnouncement(open, done.length, failed);
  const closed = [...needsAction, ...done].map(({ id }) => id);
  return (
    <Card
      title={t('Uploads')}
      actions={
        <>
          {sending.length + waiting.length > 0 && (
            <Button small onClick={() => queue.cancelAll()}>
              {t('Cancel all')}
            </Button>
          )}
          {open === 0 && (
            <Button small onClick={() => queue.dismiss(closed)}>
              {needsAction.length > 0 ? t('Dismiss all') : t('Dismiss')}
            </Button>
          )}
        </>
      }
    >
      <Progress label={t('Files uploaded')} done={uploaded} failed={failed} total={uploads.length}>
        <p className={styles.line}>
          {[
            t('{done} of {total, plural, one {# file} other {# files}} uploaded', {
              done: count(uploaded),
              total: uploads.length,
            }),
            queue.isIndex &&
              uploaded > 0 &&
              t('{count, plural, other {# added to the index}}', { count: done.length }),
            waiting.length > 0 && t('{count} waiting', { count: count(waiting.length) }),
            failed > 0 && t('{count} failed', { count: count(failed) }),
          ]
            .filter(Boolean)
            .join(', ')}
        </p>
      </Progress>
      {interrupted.length > 0 && <Interrupted queue={queue} number={interrupted.length} />}
      {sending.length + needsAction.length > 0 && (
        <ul className={styles.list} aria-label={t('Files that are being uploaded or need attention')}>
          {[...needsAction, ...sending].map((upload) => (
            <UploadItem key={upload.id} upload={upload} queue={queue} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/**
 * Lists files whose upload a reload interrupted. The user has to choose them again, because a page cannot
 * reopen files by itself.
 */
function Interrupted({ queue, number }: { queue: UploadQueue; number: number }) {
  const choose = (kind: 'files' | 'folder') => void chooseFromDisk(kind).then((picked) => queue.add(picked));
  return (
    <Notice
      tone="warn"
      icon="warning"
      title={t(
        '{count, plural, one {# file was} other {# files were}} not uploaded before the page was reloaded',
        { count: number },
      )}
    >
      <span>{t('Choose them again to continue. Files that were uploaded are kept.')}</span>
      <div className={styles.actions}>
        <Button small onClick={() => choose('files')}>
          {t('Choose files')}
        </Button>
        <Button small onClick={() => choose('folder')}>
          {t('Choose folder')}
        </Button>
      </div>
    </Notice>
  );
}

/** Announces to screen readers, once, that all uploads have ended. */
function useEndAnnouncement(open: number, done: number, failed: number): void {
  const before = useRef(open);
  useEffect(() => {
    if (before.current > 0 && open === 0) {
      announce(
        failed > 0
          ? t('{count, plural, one {# file} other {# files}} uploaded, {failed} failed.', {
              count: done,
              failed,
            })
          : t('{count, plural, one {# file} other {# files}} uploaded.', { count: done }),
      );
    }
    before.current = open;
  }, [open, done, failed]);
}
