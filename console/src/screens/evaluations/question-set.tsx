import { lazy, Suspense, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { count } from '../../ui/format.ts';
import layout from '../../ui/layout.module.css';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { CollectQuestions } from './collect-questions.tsx';
import { EditQuestion } from './edit-question.tsx';
import { GenerateQuestions } from './generate-questions.tsx';
import { ImportQuestions } from './import-questions.tsx';
import { NewRun } from './new-run.tsx';
import { QUESTIONS, type QuestionSet, RUNS, SET, SETS } from './operations.ts';
import { QuestionTable } from './question-table.tsx';
import { RunTable } from './run-table.tsx';
import { EvaluationSchedule } from './schedule.tsx';

const NewSweep = lazy(() => import('./sweeps/new-sweep.tsx'));
const SweepTable = lazy(() => import('./sweeps/sweep-table.tsx'));

/** Page of a question set with its questions and its runs. */
export default function QuestionSetPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { question_set_id: id } };
  const read = useApiQuery(SET, input);
  const set = read.data;
  return (
    <Page
      title={set?.name ?? t('Question set')}
      breadcrumbs={[{ to: pathTo('/evaluations'), label: t('Evaluations') }]}
      {...(set && {
        lead: t('{count, plural, one {# question} other {# questions}}, version {version}.', {
          count: set.question_count,
          version: count(set.version),
        }),
      })}
      calls={[
        {
          what: t('List the questions'),
          ...buildRequest(QUESTIONS, input),
        },
        {
          what: t('Add a question'),
          ...buildRequest('POST /api/v1/evaluations/question-sets/{question_set_id}/questions', {
            ...input,
            body: { questions: [{ text: t('How long is the quay?') }] },
          }),
        },
      ]}
      actions={set && <Actions set={set} />}
    >
      <Loaded read={read} what={t('The question set could not be read')}>
        {(found) => (
          <div className={layout.stack}>
            <QuestionTable set={found} />
            <h2>{t('Runs')}</h2>
            <RunTable questionSetId={found.id} />
            <Suspense>
              <SweepTable questionSetId={found.id} />
            </Suspense>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

type Action = 'run' | 'sweep' | 'schedule' | 'add' | 'import' | 'generate' | 'collect' | 'delete';

function Actions({ set }: { set: QuestionSet }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<Action>();
  const remove = useApiMutation('DELETE /api/v1/evaluations/question-sets/{question_set_id}', [SETS, RUNS]);
  const close = () => setDialog(undefined);
  const deleteSet = async () => {
    await remove.mutateAsync({ params: { question_set_id: set.id } });
    navigate(pathTo('/evaluations'));
  };
  return (
    <>
      <Button
        look="primary"
        icon="play"
        writes
        disabled={set.question_count === 0}
        onClick={() => setDialog('run')}
      >
        {t('Run')}
      </Button>
      <Button icon="search" writes disabled={set.question_count === 0} onClick={() => setDialog('sweep')}>
        {t('Search for better settings')}
      </Button>
      <Button icon="clock" writes onClick={() => setDialog('schedule')}>
        {t('Schedule')}
      </Button>
      <Button icon="plus" writes onClick={() => setDialog('add')}>
        {t('Add question')}
      </Button>
      <Button icon="upload" writes onClick={() => setDialog('import')}>
        {t('Import')}
      </Button>
      <Button icon="retry" writes onClick={() => setDialog('generate')}>
        {t('Generate')}
      </Button>
      <Button icon="chat" writes onClick={() => setDialog('collect')}>
        {t('Collect')}
      </Button>
      <Button icon="trash" look="danger" onClick={() => setDialog('delete')}>
        {t('Delete')}
      </Button>
      {dialog === 'run' && <NewRun set={set} onClose={close} />}
      {dialog === 'sweep' && (
        <Suspense>
          <NewSweep set={set} onClose={close} />
        </Suspense>
      )}
      {dialog === 'schedule' && <EvaluationSchedule set={set} onClose={close} />}
      {dialog === 'collect' && <CollectQuestions setId={set.id} onClose={close} />}
      {dialog === 'add' && <EditQuestion setId={set.id} onClose={close} />}
      {dialog === 'import' && <ImportQuestions setId={set.id} onClose={close} />}
      {dialog === 'generate' && <GenerateQuestions setId={set.id} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: set.name })}
          action={t('Delete')}
          onConfirm={deleteSet}
          onClose={close}
        >
          {t('The questions and the runs of this set are deleted.')}
        </Confirm>
      )}
    </>
  );
}
