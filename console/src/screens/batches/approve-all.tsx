import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n/messages.ts';
import { Confirm } from '../../ui/dialog.tsx';
import type { ApprovalRun } from './use-review.ts';

interface ApproveAllProps {
  /** Label of the filter whose files are approved. */
  label: string;
  onApprove: (run: ApprovalRun) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for confirmation, and shows how many files are approved already. Closing the dialog stops the approval. */
export function ApproveAll({ label, onApprove, onClose }: ApproveAllProps) {
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const approve = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    await onApprove({ signal, onProgress: (done, total) => setProgress({ done, total }) });
    // The dialog is closed already, and another one may be open.
    signal.throwIfAborted();
  };
  return (
    <Confirm
      title={t('Approve all files that are shown?')}
      action={t('Approve')}
      onConfirm={approve}
      onClose={onClose}
    >
      <p>
        {t(
          'You approve the results of all completed files that match “{label}”. Your name and the time are saved with each of them.',
          { label },
        )}
      </p>
      <p role="status">{progress && t('{done} of {total} approved', progress)}</p>
    </Confirm>
  );
}
