import { useEffect, useRef } from 'react';
import { announce } from '../ui/announce.tsx';
import { Button } from '../ui/button.tsx';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Card } from '../ui/page.tsx';
import { Progress } from '../ui/states.tsx';
import type { Upload, UploadQueue } from './queue.ts';
import { UploadItem } from './upload-item.tsx';
import styles from './uploads.module.css';
import { useDrop } from './use-uploads.ts';

/** Chooses files of the machine. */
export function UploadButton({ queue, children }: { queue: UploadQueue; children: string }) {
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
          queue.add([...(currentTarget.files ?? [])]);
          // The same files can be chosen again.
          currentTarget.value = '';
        }}
      />
      <Button look="primary" icon="upload" onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}

/** What is on its way, what failed and why; and the place that files are dropped on, which is all of the page. */
export function Uploads({ queue, uploads }: { queue: UploadQueue; uploads: readonly Upload[] }) {
  const isOver = useDrop((files) => queue.add(files));
  const byState = (...states: Upload['state'][]) => uploads.filter(({ state }) => states.includes(state));
  const sending = byState('sending');
  const waiting = byState('waiting');
  const kept = byState('failed', 'duplicate', 'cancelled');
  const done = byState('done');
  const open = sending.length + waiting.length + byState('stored').length;
  useAnnouncedEnd(open, done.length, byState('failed').length);
  const closed = [...kept, ...done].map(({ id }) => id);
  return (
    <>
      {isOver && (
        <div className={styles.over}>
          <span>
            <Icon name="upload" size={28} /> Drop the files to upload them
          </span>
        </div>
      )}
      {uploads.length > 0 && (
        <Card
          title="Uploads"
          actions={
            <>
              {sending.length + waiting.length > 0 && (
                <Button small onClick={() => queue.cancelAll()}>
                  Cancel all
                </Button>
              )}
              {open === 0 && (
                <Button small onClick={() => queue.dismiss(closed)}>
                  {kept.length > 0 ? 'Dismiss all' : 'Dismiss'}
                </Button>
              )}
            </>
          }
        >
          <Progress
            label="Files uploaded"
            done={done.length}
            failed={byState('failed').length}
            total={uploads.length}
          >
            <p className={styles.line}>
              {plural(done.length, 'file')} of {uploads.length} uploaded
              {waiting.length > 0 && `, ${waiting.length} waiting`}
              {byState('failed').length > 0 && `, ${byState('failed').length} failed`}
            </p>
          </Progress>
          {sending.length + kept.length > 0 && (
            <ul className={styles.list} aria-label="Files on their way, and those that need you">
              {[...kept, ...sending].map((upload) => (
                <UploadItem key={upload.id} upload={upload} queue={queue} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </>
  );
}

/** Said once, when nothing is on its way any more. */
function useAnnouncedEnd(open: number, done: number, failed: number): void {
  const before = useRef(open);
  useEffect(() => {
    if (before.current > 0 && open === 0) {
      announce(`${plural(done, 'file')} uploaded${failed > 0 ? `, ${failed} failed` : ''}.`);
    }
    before.current = open;
  }, [open, done, failed]);
}
