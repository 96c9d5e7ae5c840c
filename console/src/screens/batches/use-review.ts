import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { announce } from '../../ui/announce.tsx';
import { ChangeQueue } from './change-queue.ts';
import { type Batch, formatValue, type Item, type ValueColumn } from './columns.ts';

const MAX_CONCURRENT = 4;

/** Result of saving a value. */
export interface SaveOutcome {
  isSaved: boolean;
  /** Current state of the file if the value was not saved because another user has changed the review meanwhile. */
  newest?: Item;
}

interface ReviewProps {
  batch: Batch;
  /** Shows a changed file. */
  replace: (item: Item) => Promise<void>;
  /** Called when all changes are saved. */
  settle: () => void;
  /** Reads the files again, for example after somebody else has changed a review. */
  refetch: () => unknown;
}

type Change = { approved: boolean; corrections: Record<string, unknown> };

export interface ApprovalRun {
  /** No further file is approved after this signal is aborted. */
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}

/** Saves corrections and approvals. `error` is the reason why the last change was not saved. */
export function useReview({ batch, replace, settle, refetch }: ReviewProps) {
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [saving, setSaving] = useState(0);
  const running = useRef(0);
  const [queue] = useState(() => new ChangeQueue());
  const approving = useRef(new Set<string>());

  const save = (item: Item, toChange: (newest: Item) => Change): Promise<void> =>
    queue.run(item, async (newest) => {
      const changed = applyReview(newest, await send(batch, newest, toChange(newest)));
      await replace(changed);
      return changed;
    });
  const saveApproval = (item: Item, approved: boolean) =>
    save(item, ({ corrections }) => ({ approved, corrections: { ...corrections } }));
  /** Runs a change. Returns false if it failed, and shows the reason. */
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    setError(undefined);
    running.current += 1;
    setSaving(running.current);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      if (failure instanceof ApiError && failure.status === 409) refetch();
      return false;
    } finally {
      running.current -= 1;
      setSaving(running.current);
      if (running.current === 0) settle();
      void client.invalidateQueries({ queryKey: ['GET /api/v2/batches/{batch_id}'] });
    }
  };
  /** Reads the state of a file after a change was refused. Returns `undefined` if nobody else has changed the review. */
  const findNewest = async (item: Item, failure: unknown): Promise<Item | undefined> => {
    if (!(failure instanceof ApiError) || failure.status !== 409) return undefined;
    const newest = applyReview(item, await readReview(batch, item));
    if (newest.review_revision <= item.review_revision) return undefined;
    await replace(newest);
    return newest;
  };
  const correct = async (item: Item, column: ValueColumn, value: unknown): Promise<SaveOutcome> => {
    const key = batch.job_type === 'classify' ? column.pointer.slice(1) : column.pointer;
    const texts = { label: column.label, name: item.file_name ?? t('Unnamed file') };
    let newest: Item | undefined;
    const isSaved = await attempt(async () => {
      const toChange = ({ corrections }: Item) => ({
        approved: false,
        corrections: { ...corrections, [key]: value },
      });
      await save(item, toChange).catch(async (failure: unknown) => {
        newest = await findNewest(item, failure);
        if (!newest) throw failure;
        throw new Error(
          t('Another user has changed {name} meanwhile. Your value "{value}" for {label} is not saved yet.', {
            ...texts,
            value: formatValue(value),
          }),
        );
      });
      announce(t('{label} of {name} is corrected', texts));
    });
    return { isSaved, ...(newest && { newest }) };
  };
  const approve = async (item: Item, approved: boolean) => {
    if (approving.current.has(item.job_id)) return;
    approving.current.add(item.job_id);
    await attempt(async () => {
      await saveApproval(item, approved);
      announce(
        t(approved ? '{name} is approved' : '{name} is no longer approved', {
          name: item.file_name ?? t('Unnamed file'),
        }),
      );
    });
    approving.current.delete(item.job_id);
  };
  const approveAll = (items: readonly Item[], { signal, onProgress }: ApprovalRun) =>
    attempt(async () => {
      const remaining = items.filter(canApprove);
      const total = remaining.length;
      let done = 0;
      onProgress(done, total);
      const takeNext = () => (signal.aborted ? undefined : remaining.shift());
      const approveSome = async () => {
        for (let item = takeNext(); item; item = takeNext()) {
          await saveApproval(item, true).catch((failure: unknown) => {
            // The others finish the files that they have begun, and begin no further ones.
            remaining.length = 0;
            throw failure;
          });
          done += 1;
          onProgress(done, total);
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT }, approveSome));
      announce(t('{count, plural, one {# file is} other {# files are}} approved', { count: done }));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
    });
  return { correct, approve, approveAll, error, isSaving: saving > 0 };
}

export const canReview = (item: Item) => item.status === 'COMPLETED';
export const canApprove = (item: Item) => canReview(item) && item.review_state !== 'approved';

type Review = Answer<'GET /api/v2/extract/{job_id}/review' | 'GET /api/v2/classify/{job_id}/review'>;

/** Returns the file with a review that the service has answered. */
function applyReview(item: Item, { approved, corrections, revision, history: [last] }: Review): Item {
  const isCorrected = Object.keys(corrections ?? {}).length > 0;
  return {
    ...item,
    corrections,
    review_revision: revision,
    review_state: approved ? 'approved' : isCorrected ? 'corrected' : 'none',
    reviewed_by: last?.changed_by,
    reviewed_at: last?.changed_at,
  };
}

function readReview({ job_type }: Batch, { job_id }: Item): Promise<Review> {
  const input = { params: { job_id }, query: { page_size: 1 } };
  return job_type === 'extract'
    ? call('GET /api/v2/extract/{job_id}/review', input)
    : call('GET /api/v2/classify/{job_id}/review', input);
}

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
