import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { useAt } from '../../shell/link.ts';
import { useProjectId } from '../../shell/project.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Progress } from '../../ui/states.tsx';
import type { UploadQueue } from '../../uploads/queue.ts';
import { openIndexQueue } from '../../uploads/targets.ts';
import { DEFAULT_TRANSFORM } from '../index/transform.ts';
import styles from './indexes.module.css';
import { addSources, fillIndex, type IndexDraft, makeIndex } from './make-index.ts';
import { ContentsStep, NameStep, OptionsStep } from './new-index-steps.tsx';
import { type Made, NotAllTaken } from './not-all-taken.tsx';

const STEPS = ['Name', 'Contents', 'Options'] as const;
type Step = 0 | 1 | 2;

const EMPTY: IndexDraft = {
  name: '',
  files: [],
  sourceIds: [],
  transform: DEFAULT_TRANSFORM,
  embeddingId: '',
  sinkId: '',
};

/** The step that has the field which the service refused. */
function stepOf(error: ApiError): Step {
  const isNamed = error.status === 409 || error.of('name') !== undefined;
  return isNamed ? 0 : 2;
}

/** Makes an index in three steps, of which only the first asks for something. */
export function NewIndex({ onClose }: { onClose: () => void }) {
  const at = useAt();
  const client = useQueryClient();
  const projectId = useProjectId();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(EMPTY);
  const [step, setStep] = useState<Step>(0);
  const [error, setError] = useState<unknown>();
  const [uploading, setUploading] = useState<number>();
  const [made, setMade] = useState<Made>();
  const change = (changes: Partial<IndexDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const goTo = (id: string) => {
    onClose();
    navigate(at(`/indexes/${id}`));
  };

  const fill = async (id: string, begin: (queue: UploadQueue) => void) => {
    const queue = openIndexQueue(client, id, projectId);
    const stop = queue.subscribe(() => setUploading(queue.uploads().filter(({ fileId }) => fileId).length));
    setUploading(0);
    begin(queue);
    try {
      const [failed] = await Promise.all([fillIndex(queue), addSources(id, draft.sourceIds)]);
      if (failed.length === 0) goTo(id);
      else setMade({ id, failed });
    } catch (failure) {
      setMade({ id, failed: [], failure });
    } finally {
      stop();
      setUploading(undefined);
      void client.invalidateQueries();
    }
  };
  const retry = ({ id, failed }: Made) =>
    fill(id, (queue) => {
      for (const { uploadId } of failed) queue.retry(uploadId);
    });
  const create = async () => {
    if (uploading !== undefined) return;
    setError(undefined);
    if (!draft.name.trim()) {
      setStep(0);
      setError(new ApiError(422, { detail: [{ loc: ['body', 'name'], msg: 'Give the index a name.' }] }));
      return;
    }
    setUploading(0);
    try {
      const id = await makeIndex(draft);
      await fill(id, (queue) => queue.add({ files: draft.files, skipped: [], unreadable: [] }));
    } catch (failure) {
      setUploading(undefined);
      setError(failure);
      if (failure instanceof ApiError && failure.status < 500 && failure.status !== 429)
        setStep(stepOf(failure));
    }
  };

  if (made) {
    return (
      <NotAllTaken
        made={made}
        busy={uploading !== undefined}
        onRetry={() => void retry(made)}
        onGo={() => goTo(made.id)}
      />
    );
  }
  const busy = uploading !== undefined;
  const told = error instanceof ApiError ? error : undefined;
  const steps: Record<Step, ReactNode> = {
    0: <NameStep draft={draft} change={change} error={told} />,
    1: <ContentsStep draft={draft} change={change} />,
    2: <OptionsStep draft={draft} change={change} error={told} />,
  };
  const isSaidAtField = told && (told.fields.length > 0 || told.status === 409);
  return (
    <Dialog
      title="New index"
      onClose={onClose}
      onSubmit={() => void create()}
      actions={<Actions step={step} onStep={setStep} busy={busy} />}
    >
      <StepList step={step} onStep={setStep} />
      {steps[step]}
      {busy && draft.files.length > 0 && (
        <Progress label="Upload" done={uploading} total={draft.files.length}>
          <span role="status">
            Uploading {Math.min(uploading + 1, draft.files.length)} of {draft.files.length}
          </span>
        </Progress>
      )}
      {error !== undefined && !isSaidAtField && (
        <Failure error={error} what="The index could not be made" onRetry={() => void create()} />
      )}
    </Dialog>
  );
}

function StepList({ step, onStep }: { step: Step; onStep: (step: Step) => void }) {
  return (
    <ol className={styles.steps}>
      {STEPS.map((word, position) => (
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

function Actions({ step, onStep, busy }: { step: Step; onStep: (step: Step) => void; busy: boolean }) {
  return (
    <>
      {step > 0 && (
        <Button onClick={() => onStep((step - 1) as Step)} disabled={busy}>
          Back
        </Button>
      )}
      {step < 2 && (
        <Button onClick={() => onStep((step + 1) as Step)} disabled={busy}>
          Next
        </Button>
      )}
      <Button look="primary" type="submit" busy={busy}>
        Create
      </Button>
    </>
  );
}
