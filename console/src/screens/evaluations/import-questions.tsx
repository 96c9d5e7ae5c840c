import { useState } from 'react';
import { useApiMutation } from '../../api/hooks.ts';
import type { Answer, Body } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { CHANGED_BY_QUESTIONS } from './operations.ts';

const IMPORT = 'POST /api/v1/evaluations/question-sets/{question_set_id}/import';
type Format = Body<typeof IMPORT>['format'];

const getFormats = (): { value: Format; label: string }[] => [
  { value: 'csv', label: t('CSV with the column “question”') },
  { value: 'jsonl', label: t('JSON Lines') },
  { value: 'beir', label: t('BEIR: queries and judgements') },
];

/** Imports questions from files of the user's computer. */
export function ImportQuestions({ setId, onClose }: { setId: string; onClose: () => void }) {
  const [format, setFormat] = useState<Format>('csv');
  const [content, setContent] = useState<File>();
  const [qrels, setQrels] = useState<File>();
  const [corpus, setCorpus] = useState<File>();
  const add = useApiMutation(IMPORT, CHANGED_BY_QUESTIONS);
  const isBeir = format === 'beir';
  const isReady = content !== undefined && (!isBeir || qrels !== undefined);
  const submit = async () => {
    if (!content || !isReady) return;
    const text = await content.text();
    const body: Body<typeof IMPORT> =
      format === 'beir'
        ? { format, content: text, qrels: await qrels!.text(), corpus: (await corpus?.text()) ?? null }
        : { format, content: text };
    add.mutate({ params: { question_set_id: setId }, body });
  };
  if (add.data) return <Imported result={add.data} onClose={onClose} />;
  return (
    <Dialog
      title={t('Import questions')}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!isReady} busy={add.isPending}>
            {t('Import')}
          </Button>
        </>
      }
    >
      <Select
        label={t('Format')}
        choices={getFormats()}
        value={format}
        onChange={({ target }) => setFormat(target.value as Format)}
      />
      <FileField label={isBeir ? t('Queries') : t('File')} onChoose={setContent} />
      {isBeir && <FileField label={t('Judgements')} onChoose={setQrels} />}
      {isBeir && (
        <FileField
          label={t('Corpus (optional)')}
          hint={t('Its titles find documents whose IDs are unknown.')}
          onChoose={setCorpus}
        />
      )}
      {add.error && <Failure error={add.error} what={t('The questions could not be imported')} />}
    </Dialog>
  );
}

function FileField({
  label,
  hint,
  onChoose,
}: {
  label: string;
  hint?: string;
  onChoose: (file: File | undefined) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <input {...control} type="file" onChange={({ target }) => onChoose(target.files?.[0])} />}
    </Field>
  );
}

function Imported({ result, onClose }: { result: Answer<typeof IMPORT>; onClose: () => void }) {
  const { added_count: added, replaced_count: replaced, skipped_count: skipped, problems } = result;
  return (
    <Dialog
      title={t('Questions imported')}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <p>
        {t(
          '{added, plural, one {# question} other {# questions}} added, {replaced} replaced, {skipped} left out.',
          {
            added,
            replaced,
            skipped,
          },
        )}
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem} dir="auto">
              {problem}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
