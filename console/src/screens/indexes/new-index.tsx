import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectId } from '../../shell/project.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Progress } from '../../ui/states.tsx';
import { useKept } from '../../ui/use-kept.ts';
import type { UploadQueue } from '../../uploads/queue.ts';
import { openIndexQueue } from '../../uploads/targets.ts';
import { DEFAULT_TRANSFORM } from '../index/transform.ts';
import { addSources, createIndex, fillIndex, type IndexDraft } from './create-index.ts';
import { type CreatedIndex, IncompleteIndex } from './incomplete-index.tsx';
import styles from './indexes.module.css';
import { ContentsStep, NameStep, OptionsStep } from './new-index-steps.tsx';

const getSteps = () => [t('Name'), t('Contents'), t('Options')] as const;
type Step = 0 | 1 | 2;

const EMPTY: IndexDraft = {
  name: '',
  files: [],
  sourceIds: [],
  transform: DEFAULT_TRANSFORM,
  embeddingId: '',
  sinkId: '',
};

/** Returns the step of the dialog that contains the field with the error. */
function getErrorStep(error: ApiError): Step {
  const isNamed = error.status === 409 || error.findFieldMessage('name') !== undefined;
  return isNamed ? 0 : 2;
}

/** Dialog that creates an index in three steps. Only the name is required. */
export function NewIndex({ onClose }: { onClose: () => void }) {
  const pathTo = useProjectPath();
  const client = useQueryClient();
  const projectId = useProjectId();
  const [, navigate] = useLocation();
  // Kept, so that leaving the dialog by mistake loses nothing.
  const [draft, setDraft, forgetDraft] = useKept(`new-index ${projectId}`, EMPTY);
  const [step, setStep] = useState<Step>(0);
  const [error, setError] = useState<unknown>();
  const [uploading, setUploading] = useState<number>();
  const [created, setCreated] = useState<CreatedIndex>();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const change = (changes: Partial<IndexDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const goTo = (id: string) => {
    forgetDraft();
    // Replaces the address that opens this dialog, so that the Back button does not open it again. A user who
    // has closed the dialog while files were being uploaded stays where they are.
    if (isShown.current) navigate(pathTo(`/indexes/${id}`), { replace: true });
  };

  const fill = async (id: string, begin: (queue: UploadQueue) => void) => {
    const queue = openIndexQueue(client, id, projectId);
    const stop = queue.subscribe(() => setUploading(queue.uploads().filter(({ fileId }) => fileId).length));
    setUploading(0);
    begin(queue);
    try {
      const [failed] = await Promise.all([fillIndex(queue), addSources(id, draft.sourceIds)]);
      if (failed.length === 0) goTo(id);
      else setCreated({ id, failed });
    } catch (failure) {
      setCreated({ id, failed: [], failure });
    } finally {
      stop();
      setUploading(undefined);
      void client.invalidateQueries();
    }
  };
  const retry = ({ id, failed }: CreatedIndex) =>
    fill(id, (queue) => {
      for (const { uploadId } of failed) queue.retry(uploadId);
    });
  const create = async () => {
    if (uploading !== undefined) return;
    setError(undefined);
    if (!draft.name.trim()) {
      setStep(0);
      setError(
        new ApiError(422, { detail: [{ loc: ['body', 'name'], msg: t('Enter a name for the index.') }] }),
      );
      return;
    }
    setUploading(0);
    try {
      const id = await createIndex(draft);
      await fill(id, (queue) => queue.add({ files: draft.files, skipped: [], unreadable: [] }));
    } catch (failure) {
      setUploading(undefined);
      setError(failure);
      if (failure instanceof ApiError && failure.status < 500 && failure.status !== 429)
        setStep(getErrorStep(failure));
    }
  };

  if (created) {
    return (
      <IncompleteIndex
        created={created}
        busy={uploading !== undefined}
        onRetry={() => void retry(created)}
        onOpen={() => goTo(created.id)}
      />
    );
  }
  const busy = uploading !== undefined;
  const apiError = error instanceof ApiError ? error : undefined;
  const steps: Record<Step, ReactNode> = {
    0: <NameStep draft={draft} change={change} error={apiError} />,
    1: <ContentsStep draft={draft} change={change} />,
    2: <OptionsStep draft={draft} change={change} error={apiError} />,
  };
  const isShownAtField = apiError && (apiError.fields.length > 0 || apiError.status === 409);
  return (
    <Dialog
      title={t('New index')}
      onClose={onClose}
      onSubmit={() => void create()}
      actions={
        <Actions
          step={step}
          onStep={setStep}
          busy={busy}
          onClear={draft === EMPTY ? undefined : forgetDraft}
        />
      }
    >
      <StepList step={step} onStep={setStep} />
      {steps[step]}
      {busy && draft.files.length > 0 && (
        <Progress label={t('Upload')} done={uploading} total={draft.files.length}>
          <span role="status">
            {t('Uploading {number} of {total}', {
              number: Math.min(uploading + 1, draft.files.length),
              total: draft.files.length,
            })}
          </span>
        </Progress>
      )}
      {error !== undefined && !isShownAtField && (
        <Failure error={error} what={t('The index could not be created')} onRetry={() => void create()} />
      )}
    </Dialog>
  );
}

function StepList({ step, onStep }: { step: Step; onStep: (step: Step) => void }) {
  return (
    <ol className={styles.steps}>
      {getSteps().map((word, position) => (
        <li key={word}>
          <button
            type="button"
            className={styles.step}
            aria-current={position === step ? 'step' : undefined}
            onClick={() => onStep(position as Step)}
          >
            <span className={styles.number}>{position + 1}</span>
            {word}
          </button>
        </li>
      ))}
    </ol>
  );
}

function Actions({
  step,
  onStep,
  busy,
  onClear,
}: {
  step: Step;
  onStep: (step: Step) => void;
  busy: boolean;
  /** Discards what was entered in all steps. `undefined` if nothing was entered. */
  onClear: (() => void) | undefined;
}) {
  return (
    <>
      {onClear && (
        <Button look="quiet" onClick={onClear} disabled={busy}>
          {t('Discard draft')}
        </Button>
      )}
      {step > 0 && (
        <Button onClick={() => onStep((step - 1) as Step)} disabled={busy}>
          {t('Back')}
        </Button>
      )}
      {step < 2 && (
        <Button onClick={() => onStep((step + 1) as Step)} disabled={busy}>
          {t('Next')}
        </Button>
      )}
      <Button writes look="primary" type="submit" busy={busy}>
        {t('Create')}
      </Button>
    </>
  );
}
