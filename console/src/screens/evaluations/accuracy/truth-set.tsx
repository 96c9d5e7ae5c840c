import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { buildRequest } from '../../../api/client.ts';
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { count } from '../../../ui/format.ts';
import layout from '../../../ui/layout.module.css';
import { Page } from '../../../ui/page.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { AccuracyRunTable } from './accuracy-run-table.tsx';
import { CollectTruths } from './collect-truths.tsx';
import { EditTruth } from './edit-truth.tsx';
import { ImportTruths } from './import-truths.tsx';
import { getKindLabel } from './labels.ts';
import { NewAccuracyRun } from './new-accuracy-run.tsx';
import { ACCURACY_RUNS, TRUTH_SET, TRUTH_SETS, TRUTHS, type TruthSet } from './operations.ts';
import { TruthTable } from './truth-table.tsx';

/** Page of a truth set with its truths and its runs. */
export default function TruthSetPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { truth_set_id: id } };
  const read = useApiQuery(TRUTH_SET, input);
  const set = read.data;
  return (
    <Page
      title={set?.name ?? t('Truth set')}
      breadcrumbs={[{ to: pathTo('/evaluations'), label: t('Evaluations') }]}
      {...(set && {
        lead: t('{kind}: {count, plural, one {# file} other {# files}}, version {version}.', {
          kind: getKindLabel(set.kind),
          count: set.truth_count,
          version: count(set.version),
        }),
      })}
      calls={[
        { what: t('List the truths'), ...buildRequest(TRUTHS, input) },
        {
          what: t('Start a run'),
          ...buildRequest('POST /api/v1/evaluations/accuracy-runs', {
            body: { truth_set_id: id, configuration_id: 'cfg-…' },
          }),
        },
      ]}
      actions={set && <Actions set={set} />}
    >
      <Loaded read={read} what={t('The truth set could not be read')}>
        {(found) => (
          <div className={layout.stack}>
            <TruthTable set={found} />
            <h2>{t('Runs')}</h2>
            <AccuracyRunTable truthSetId={found.id} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ set }: { set: TruthSet }) {
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [dialog, setDialog] = useState<'run' | 'add' | 'import' | 'collect' | 'delete'>();
  const remove = useApiMutation('DELETE /api/v1/evaluations/truth-sets/{truth_set_id}', [
    TRUTH_SETS,
    ACCURACY_RUNS,
  ]);
  const close = () => setDialog(undefined);
  const deleteSet = async () => {
    await remove.mutateAsync({ params: { truth_set_id: set.id } });
    navigate(pathTo('/evaluations'));
  };
  return (
    <>
      <Button
        look="primary"
        icon="play"
        writes
        disabled={set.truth_count === 0}
        onClick={() => setDialog('run')}
      >
        {t('Run')}
      </Button>
      <Button icon="plus" writes onClick={() => setDialog('add')}>
        {t('Add file')}
      </Button>
      <Button icon="check" writes onClick={() => setDialog('collect')}>
        {t('Take approved results')}
      </Button>
      <Button icon="upload" writes onClick={() => setDialog('import')}>
        {t('Import')}
      </Button>
      <Button icon="trash" look="danger" onClick={() => setDialog('delete')}>
        {t('Delete')}
      </Button>
      {dialog === 'run' && <NewAccuracyRun set={set} onClose={close} />}
      {dialog === 'add' && <EditTruth set={set} onClose={close} />}
      {dialog === 'collect' && <CollectTruths set={set} onClose={close} />}
      {dialog === 'import' && <ImportTruths set={set} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title={t('Delete {name}?', { name: set.name })}
          action={t('Delete')}
          onConfirm={deleteSet}
          onClose={close}
        >
          {t('The truths and the runs of this set are deleted. The files are kept.')}
        </Confirm>
      )}
    </>
  );
}
