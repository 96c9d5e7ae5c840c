import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { CHANGED_BY_QUESTIONS } from './operations.ts';

const COLLECT = 'POST /api/v1/evaluations/question-sets/{question_set_id}/collect';
/** Maximum number of calls for one click. Each examines up to 50 answers. */
const MAX_CALLS = 40;

type Part = Answer<typeof COLLECT>;
type Result = Pick<Part, 'added_count' | 'skipped'>;

/** Adds the questions of answers that were rated with thumbs up. */
export function CollectQuestions({ setId, onClose }: { setId: string; onClose: () => void }) {
  const collect = useApiMutation(COLLECT, CHANGED_BY_QUESTIONS);
  const [result, setResult] = useState<Result>();
  const [isBusy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      let sum: Result | undefined;
      let page_token: string | null = null;
      for (let call = 0; call < MAX_CALLS; call += 1) {
        const part: Part = await collect.mutateAsync({
          params: { question_set_id: setId },
          body: { page_token },
        });
        sum = addUp(sum, part);
        page_token = part.next_page_token ?? null;
        if (!page_token) break;
      }
      setResult(sum);
    } catch {
      // The dialog shows the error of the mutation.
    } finally {
      setBusy(false);
    }
  };
  if (result) return <CollectedQuestions result={result} onClose={onClose} />;
  return (
    <Dialog
      title={t('Collect questions')}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes busy={isBusy}>
            {t('Collect')}
          </Button>
        </>
      }
    >
      <p>
        {t(
          'Questions whose answers were rated with thumbs up are added. The sentences that the answers cite become the expected passages.',
        )}
      </p>
      <p>
        {t(
          'Only answers that were recorded with texts, or that are in your own chats, can be collected. Everybody in the project can read the questions.',
        )}
      </p>
      {collect.error && <Failure error={collect.error} what={t('The questions could not be collected')} />}
    </Dialog>
  );
}

function addUp(sum: Result | undefined, { added_count, skipped }: Part): Result {
  if (!sum) return { added_count, skipped };
  return {
    added_count: sum.added_count + added_count,
    skipped: {
      no_text: sum.skipped.no_text + skipped.no_text,
      no_citation: sum.skipped.no_citation + skipped.no_citation,
      changed_passage: sum.skipped.changed_passage + skipped.changed_passage,
      already_in_set: sum.skipped.already_in_set + skipped.already_in_set,
    },
  };
}

function CollectedQuestions({ result, onClose }: { result: Result; onClose: () => void }) {
  const { skipped } = result;
  const reasons = [
    {
      count: skipped.no_text,
      text: t('{count, plural, one {# answer was} other {# answers were}} not recorded with texts.', {
        count: skipped.no_text,
      }),
    },
    {
      count: skipped.no_citation,
      text: t('{count, plural, one {# answer has} other {# answers have}} no verified citation.', {
        count: skipped.no_citation,
      }),
    },
    {
      count: skipped.changed_passage,
      text: t(
        '{count, plural, one {# answer cites} other {# answers cite}} a passage that was changed, deleted or is not accessible.',
        { count: skipped.changed_passage },
      ),
    },
    {
      count: skipped.already_in_set,
      text: t('{count, plural, one {# question is} other {# questions are}} in the set already.', {
        count: skipped.already_in_set,
      }),
    },
  ].filter(({ count }) => count > 0);
  return (
    <Dialog
      title={t('Questions collected')}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <p>
        {t('{count, plural, one {# question} other {# questions}} added.', { count: result.added_count })}
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
