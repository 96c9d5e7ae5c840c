import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';

type Rating = 'up' | 'down' | null;

interface FeedbackProps {
  /** Id of the answer or trace. */
  id: string;
  /** Feedback that is already stored. */
  given?: Rating | undefined;
}

/** Buttons that rate an answer. After a bad rating, the user can add a comment. */
export function Feedback({ id, given = null }: FeedbackProps) {
  const [rating, setRating] = useState<Rating>(given);
  const [comment, setComment] = useState<string>();
  const put = useApiMutation('PUT /api/v1/traces/{trace_id}/feedback', [
    'GET /api/v1/traces',
    'GET /api/v1/traces/{trace_id}',
  ]);
  const send = (chosen: Rating, note?: string) => {
    const before = rating;
    setRating(chosen);
    setComment(chosen === 'down' && note === undefined ? '' : undefined);
    put.mutate(
      { params: { trace_id: id }, body: { rating: chosen, ...(note && { comment: note }) } },
      { onError: () => setRating(before) },
    );
  };
  const toggle = (chosen: 'up' | 'down') => send(rating === chosen ? null : chosen);
  return (
    <>
      <IconButton
        small
        icon="thumbUp"
        label={t('Good answer')}
        aria-pressed={rating === 'up'}
        onClick={() => toggle('up')}
      />
      <IconButton
        small
        icon="thumbDown"
        label={t('Bad answer')}
        aria-pressed={rating === 'down'}
        onClick={() => toggle('down')}
      />
      {comment !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send('down', comment.trim());
          }}
        >
          <TextField
            label={t('What is wrong?')}
            hideLabel
            placeholder={t('What is wrong?')}
            value={comment}
            maxLength={2000}
            onChange={(event) => setComment(event.target.value)}
          />
          <Button small type="submit">
            {t('Send')}
          </Button>
        </form>
      )}
      {put.error && <Failure error={put.error} what={t('The feedback could not be saved')} />}
    </>
  );
}
