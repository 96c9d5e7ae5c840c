import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Reading } from '../../api/types.ts';
import { announce } from '../../ui/announce.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import styles from './jobs.module.css';
import { isUnderWay } from './polling.ts';

interface JobHeadProps {
  /** What lists the jobs of this kind; it is read again when the job has ended. */
  list: Reading;
  name: string;
  status: string;
  createdAt: string | null | undefined;
  onCancel: () => Promise<unknown>;
  /** Absent: jobs of this kind are kept. */
  onDelete?: () => Promise<unknown>;
  /** What can be done with a finished job. */
  children?: ReactNode;
}

/** What a job read and how it stands; tells aloud when it has ended. */
export function JobHead({ list, name, status, createdAt, onCancel, onDelete, children }: JobHeadProps) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>();
  const isOn = isUnderWay(status);
  const wasOn = useRef(isOn);
  useEffect(() => {
    if (wasOn.current && !isOn) {
      announce(`The job has ended: ${status.toLowerCase()}`);
      void client.invalidateQueries({ queryKey: [list] });
    }
    wasOn.current = isOn;
  }, [client, list, isOn, status]);
  return (
    <>
      <div className={styles.head}>
        <div>
          <h2>{name}</h2>
          <span className={styles.row}>
            <StatusBadge status={status} />
            <span>begun {ago(createdAt)}</span>
          </span>
        </div>
        <div className={styles.buttons}>
          {children}
          {isOn && (
            <Button icon="stop" onClick={() => void onCancel().catch(setError)}>
              Cancel
            </Button>
          )}
          {onDelete && (
            <Button look="danger" icon="trash" onClick={() => setAsked(true)}>
              Delete
            </Button>
          )}
        </div>
      </div>
      {error !== undefined && <Failure error={error} what="The job could not be cancelled" />}
      {isAsked && onDelete && (
        <Confirm
          title="Delete this job?"
          action="Delete"
          onConfirm={onDelete}
          onClose={() => setAsked(false)}
        >
          Its result is lost. The document stays.
        </Confirm>
      )}
    </>
  );
}
