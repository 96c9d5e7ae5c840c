import { useState } from 'react';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/notify.tsx';
import { Failure } from '../../ui/states.tsx';
import { CHANGED_BY_QUESTIONS } from './operations.ts';

const GENERATE = 'POST /api/v1/evaluations/question-sets/{question_set_id}/generate';
const MAX_COUNT = 200;

/** Generates questions from the documents of an index. */
export function GenerateQuestions({ setId, onClose }: { setId: string; onClose: () => void }) {
  const { data: indexes = [] } = useApiQuery('GET /api/v1/pipelines', {}, { staleTime: 30_000 });
  const [chosen, setChosen] = useState<string>();
  const [count, setCount] = useState('20');
  const [usesModel, setUsesModel] = useState(false);
  const { data: capabilities } = useApiQuery('GET /api/v1/capabilities', {}, { staleTime: 60_000 });
  const hasModel = capabilities?.models.language.chat.built_in === false;
  const generate = useApiMutation(GENERATE, CHANGED_BY_QUESTIONS);
  const index = chosen ?? indexes[0]?.id ?? '';
  const submit = () =>
    generate.mutate(
      {
        params: { question_set_id: setId },
        body: { pipeline_id: index, count: Number(count), use_language_model: usesModel },
      },
      {
        onSuccess: ({ questions }) => {
          notify(
            t('{count, plural, one {# question} other {# questions}} generated.', {
              count: questions.length,
            }),
          );
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={t('Generate questions')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!index} busy={generate.isPending}>
            {t('Generate')}
          </Button>
        </>
      }
    >
      <p>
        {t(
          'Questions are made from headings, definitions and tables of the documents. They are easier than the questions of people, so read and change them.',
        )}
      </p>
      <Select
        label={t('Index')}
        choices={indexes.map(({ id, name }) => ({ value: id, label: name }))}
        value={index}
        onChange={({ target }) => setChosen(target.value)}
      />
      <TextField
        label={t('Maximum number of questions')}
        type="number"
        min={1}
        max={MAX_COUNT}
        value={count}
        onChange={({ target }) => setCount(target.value)}
      />
      {hasModel && (
        <Checkbox
          label={t('Let the language model write the questions')}
          hint={t('At most 50 questions. Questions whose quote is not in its passage are left out.')}
          checked={usesModel}
          onChange={({ target }) => setUsesModel(target.checked)}
        />
      )}
      {generate.error && <Failure error={generate.error} what={t('The questions could not be generated')} />}
    </Dialog>
  );
}
