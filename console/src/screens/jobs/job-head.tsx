import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ReadOperation } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { announce } from '../../ui/announce.tsx';
import { getStatusLabel, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import styles from './jobs.module.css';
import { isUnderWay } from './polling.ts';

interface JobHeadProps {
  /** Operation that lists the jobs. Its cached answer is refreshed when the job has ended. */
  list: ReadOperation;
  name: string;
  status: string;
  createdAt: string | null | undefined;
  onCancel: () => Promise<unknown>;
  /** Deletes the job. Absent for kinds of jobs that cannot be deleted. */
  onDelete?: () => Promise<unknown>;
  /** Buttons that are shown once the job has finished. */
  children?: ReactNode;
}

/**
 * Header of a job with its document, state and actions. The end of the job is announced to screen readers.
 */
export function JobHead({ list, name, status, createdAt, onCancel, onDelete, children }: JobHeadProps) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>();
  const isOn = isUnderWay(status);
  const wasOn = useRef(isOn);
  useEffect(() => {
    if (wasOn.current && !isOn) {
      announce(t('The job has ended: {status}', { status: getStatusLabel(status) }));
      void client.invalidateQueries({ queryKey: [list] });
    }
    wasOn.current = isOn;
  }, [client, list, isOn, status]);
  return (
    <>
      <div className={styles.head}>
        <div>
          <h2 dir="auto">{name}</h2>
          <span className={styles.row}>
            <StatusBadge status={status} />
            <span>{t('started {time}', { time: ago(createdAt) })}</span>
          </span>
        </div>
        <div className={styles.buttons}>
          {children}
          {isOn && (
            <Button writes icon="stop" onClick={() => void onCancel().catch(setError)}>
              {t('Cancel')}
            </Button>
          )}
          {onDelete && (
            <Button look="danger" icon="trash" onClick={() => setAsked(true)}>
              {t('Delete')}
            </Button>
          )}
        </div>
      </div>
      {error !== undefined && <Failure error={error} what={t('The job could not be cancelled')} />}
      {isAsked && onDelete && (
        <Confirm
          title={t('Delete this job?')}
          action={t('Delete')}
          onConfirm={onDelete}
          onClose={() => setAsked(false)}
        >
          {t('Its result is deleted. The document is kept.')}
        </Confirm>
      )}
    </>
  );
}
