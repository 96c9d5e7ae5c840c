import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { CHANGED_BY_QUESTIONS, type Question } from './operations.ts';

const LIST = '/api/v1/evaluations/question-sets/{question_set_id}/questions';

/** Adds a question to a set, or changes one. Expected pages and documents of the question stay as they are. */
export function EditQuestion({
  setId,
  question,
  onClose,
}: {
  setId: string;
  question?: Question;
  onClose: () => void;
}) {
  const add = useApiMutation(`POST ${LIST}`, CHANGED_BY_QUESTIONS);
  const change = useApiMutation(`PUT ${LIST}/{question_id}`, CHANGED_BY_QUESTIONS);
  const [text, setText] = useState(question?.text ?? '');
  const [passages, setPassages] = useState(
    question?.expected_passages.map((each) => each.text).join('\n') ?? '',
  );
  const [answer, setAnswer] = useState(question?.expected_answer ?? '');
  const [tags, setTags] = useState(question?.tags.join(', ') ?? '');
  const [isRefused, setRefused] = useState(question?.expects_refusal ?? false);
  const { error, isPending } = question ? change : add;
  const submit = () => {
    const body = {
      text: text.trim(),
      tags: splitTrimmed(tags, ','),
      expects_refusal: isRefused,
      expected_answer: isRefused ? null : answer.trim() || null,
      expected_passages: isRefused ? [] : keepPassages(question, splitTrimmed(passages, '\n')),
      ...(isRefused && { expected_pages: [], expected_documents: [] }),
    };
    const done = { onSuccess: onClose };
    if (question) change.mutate({ params: { question_set_id: setId, question_id: question.id }, body }, done);
    else add.mutate({ params: { question_set_id: setId }, body: { questions: [body] } }, done);
  };
  return (
    <Dialog
      title={question ? t('Edit the question') : t('Add question')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!text.trim()} busy={isPending}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <TextArea
        label={t('Question')}
        value={text}
        rows={2}
        maxLength={4000}
        autoFocus
        onChange={({ target }) => setText(target.value)}
      />
      <Checkbox
        label={t('The documents do not answer this question')}
        checked={isRefused}
        onChange={({ target }) => setRefused(target.checked)}
      />
      {!isRefused && (
        <>
          <TextArea
            label={t('Expected passages')}
            optional
            hint={t(
              'One per line. A search result must contain the passage. White space and case are ignored.',
            )}
            value={passages}
            rows={3}
            onChange={({ target }) => setPassages(target.value)}
          />
          <TextField
            label={t('Expected answer')}
            optional
            hint={t('Key content that an answer should contain, such as a name or a number.')}
            value={answer}
            maxLength={5000}
            onChange={({ target }) => setAnswer(target.value)}
          />
        </>
      )}
      <TextField
        label={t('Tags')}
        optional
        hint={t('Separate tags with commas. Results are also averaged for each tag.')}
        value={tags}
        onChange={({ target }) => setTags(target.value)}
      />
      {error && <Failure error={error} what={t('The question could not be saved')} />}
    </Dialog>
  );
}

const splitTrimmed = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

/** Keeps the document and the relevance of passages whose text has not changed. */
function keepPassages(question: Question | undefined, texts: string[]) {
  const known = new Map(question?.expected_passages.map((passage) => [passage.text, passage]));
  return texts.map((text) => known.get(text) ?? { text });
}
