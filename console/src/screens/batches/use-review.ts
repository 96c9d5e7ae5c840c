import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { announce } from '../../ui/announce.tsx';
import type { Batch, Item, ValueColumn } from './columns.ts';

const MAX_CONCURRENT = 4;

interface ReviewProps {
  batch: Batch;
  /** Shows a changed file. */
  replace: (item: Item) => void;
  /** Reads the files again, for example after somebody else has changed a review. */
  refetch: () => unknown;
}

type Change = { approved: boolean; corrections: Record<string, unknown> };

/** Saves corrections and approvals. `error` is the reason why the last change was not saved. */
export function useReview({ batch, replace, refetch }: ReviewProps) {
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [saving, setSaving] = useState(0);
  const refreshCounts = () => client.invalidateQueries({ queryKey: ['GET /api/v2/batches/{batch_id}'] });

  const save = async (item: Item, change: Change): Promise<void> => {
    const saved = await send(batch, item, change);
    const by = saved.history[0];
    replace({
      ...item,
      corrections: saved.corrections as Item['corrections'],
      review_revision: saved.revision,
      review_state: saved.approved
        ? 'approved'
        : Object.keys(change.corrections).length > 0
          ? 'corrected'
          : 'none',
      reviewed_by: by?.changed_by,
      reviewed_at: by?.changed_at,
    });
  };
  /** Runs a change and reports whether it was saved. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    setError(undefined);
    setSaving((count) => count + 1);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      if (failure instanceof ApiError && failure.status === 409) refetch();
      return false;
    } finally {
      setSaving((count) => count - 1);
      await refreshCounts();
    }
  };
  const correct = (item: Item, column: ValueColumn, value: unknown) =>
    attempt(async () => {
      const key = batch.job_type === 'classify' ? column.pointer.slice(1) : column.pointer;
      await save(item, { approved: false, corrections: { ...item.corrections, [key]: value } });
      announce(
        t('{label} of {name} is corrected', {
          label: column.label,
          name: item.file_name ?? t('Unnamed file'),
        }),
      );
    });
  const approve = (item: Item, approved: boolean) =>
    attempt(async () => {
      await save(item, { approved, corrections: { ...item.corrections } });
      announce(
        t(approved ? '{name} is approved' : '{name} is no longer approved', {
          name: item.file_name ?? t('Unnamed file'),
        }),
      );
    });
  const approveAll = (items: Item[]) =>
    attempt(async () => {
      const remaining = items.filter(canApprove);
      const count = remaining.length;
      const approveSome = async () => {
        for (let item = remaining.shift(); item; item = remaining.shift()) {
          await save(item, { approved: true, corrections: { ...item.corrections } });
        }
      };
      await Promise.all(Array.from({ length: MAX_CONCURRENT }, approveSome));
      announce(t('{count, plural, one {# file is} other {# files are}} approved', { count }));
    });
  return { correct, approve, approveAll, error, isSaving: saving > 0 };
}

export const canReview = (item: Item) => item.status === 'COMPLETED';
export const canApprove = (item: Item) => canReview(item) && item.review_state !== 'approved';

function send({ job_type }: Batch, item: Item, { approved, corrections }: Change) {
  const params = { job_id: item.job_id };
  const common = { revision: item.review_revision, approved };
  if (job_type === 'extract') {
    return call('PUT /api/v2/extract/{job_id}/review', { params, body: { ...common, corrections } });
  }
  const type = corrections.type as string | null | undefined;
  const body = { ...common, corrections: type === undefined ? null : { type } };
  return call('PUT /api/v2/classify/{job_id}/review', { params, body });
}
