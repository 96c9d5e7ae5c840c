import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ago, count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { AccuracyRunTable } from './accuracy/accuracy-run-table.tsx';
import { NewTruthSet, TruthSets } from './accuracy/truth-sets.tsx';
import { RUNS, SETS } from './operations.ts';
import { RunTable } from './run-table.tsx';

const getCalls = () => [
  { what: t('List the question sets'), ...buildRequest(SETS, {}) },
  { what: t('List the runs'), ...buildRequest(RUNS, {}) },
];

/** Question sets and truth sets of the project, and the runs that evaluated them. */
export default function Evaluations() {
  const [creating, setCreating] = useState<'questions' | 'truths'>();
  const create = (
    <Button look="primary" icon="plus" writes onClick={() => setCreating('questions')}>
      {t('New question set')}
    </Button>
  );
  return (
    <Page
      title={t('Evaluations')}
      lead={t('Measure retrieval, answers, extraction and classification, and compare settings.')}
      calls={getCalls()}
      actions={
        <>
          {create}
          <Button icon="plus" writes onClick={() => setCreating('truths')}>
            {t('New truth set')}
          </Button>
        </>
      }
    >
      <div className={layout.stack}>
        <QuestionSets action={create} />
        <h2>{t('Runs')}</h2>
        <RunTable />
        <h2>{t('Truth sets')}</h2>
        <TruthSets />
        <h2>{t('Accuracy runs')}</h2>
        <AccuracyRunTable />
      </div>
      {creating === 'questions' && <NewQuestionSet onClose={() => setCreating(undefined)} />}
      {creating === 'truths' && <NewTruthSet onClose={() => setCreating(undefined)} />}
    </Page>
  );
}

function QuestionSets({ action }: { action: React.ReactNode }) {
  const pathTo = useProjectPath();
  const [search] = useSearchParams();
  const token = search.get('page_token') ?? undefined;
  const read = useApiQuery(SETS, { query: { page_size: 50, page_token: token } });
  return (
    <Loaded read={read} what={t('The question sets could not be read')}>
      {({ items, next_page_token: next }) =>
        items.length === 0 ? (
          <Empty icon="check" title={t('No question sets yet')} action={action}>
            {t('A question set contains questions and the passages, pages or answers that you expect.')}
          </Empty>
        ) : (
          <>
            <Table
              label={t('Question sets')}
              rows={items}
              getRowKey={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  header: t('Name'),
                  cell: ({ id, name }) => <Link to={pathTo(`/evaluations/sets/${id}`)}>{name}</Link>,
                },
                {
                  key: 'questions',
                  header: t('Questions'),
                  number: true,
                  cell: ({ question_count }) => count(question_count),
                },
                { key: 'version', header: t('Version'), number: true, cell: ({ version }) => count(version) },
                { key: 'changed', header: t('Changed'), cell: ({ updated_at }) => ago(updated_at) },
              ]}
            />
            {next && <Link to={pathTo('/evaluations', { page_token: next })}>{t('Older')}</Link>}
          </>
        )
      }
    </Loaded>
  );
}

function NewQuestionSet({ onClose }: { onClose: () => void }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const create = useApiMutation('POST /api/v1/evaluations/question-sets', [SETS]);
  const submit = () =>
    create.mutate(
      { body: { name: name.trim() } },
      { onSuccess: ({ id }) => navigate(pathTo(`/evaluations/sets/${id}`)) },
    );
  return (
    <Dialog
      title={t('New question set')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" writes disabled={!name.trim()} busy={create.isPending}>
            {t('Create')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('Name')}
        value={name}
        maxLength={200}
        autoComplete="off"
        autoFocus
        error={create.error?.findFieldMessage('name')}
        onChange={({ target }) => setName(target.value)}
      />
      {create.error && <Failure error={create.error} what={t('The question set could not be created')} />}
    </Dialog>
  );
}
