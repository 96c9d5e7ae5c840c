import { useState } from 'react';
import { useApiMutation } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { notify } from '../../../ui/notify.tsx';
import { Failure } from '../../../ui/states.tsx';
import { describeSaved } from './import-truths.tsx';
import { CHANGED_BY_TRUTHS, type TruthSet } from './operations.ts';
import { SavedConfiguration } from './saved-configuration.tsx';

/** Takes approved results of reviews as truths, with their corrections. */
export function CollectTruths({ set, onClose }: { set: TruthSet; onClose: () => void }) {
  const [configuration, setConfiguration] = useState('');
  const [jobs, setJobs] = useState('');
  const collect = useApiMutation(
    'POST /api/v1/evaluations/truth-sets/{truth_set_id}/collect',
    CHANGED_BY_TRUTHS,
  );
  const ids = jobs.split(/[\s,;]+/).filter(Boolean);
  const submit = () =>
    collect.mutate(
      {
        params: { truth_set_id: set.id },
        body: configuration ? { configuration_id: configuration } : { job_ids: ids },
      },
      {
        onSuccess: ({ added_count: added, replaced_count: replaced }) => {
          notify(describeSaved(added, replaced));
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={t('Take approved results')}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            type="submit"
            writes
            disabled={!configuration && ids.length === 0}
            busy={collect.isPending}
          >
            {t('Add')}
          </Button>
        </>
      }
    >
      <p>{t('Results that a reviewer has approved become truths, with the corrections of the review.')}</p>
      <SavedConfiguration
        kind={set.kind}
        value={configuration}
        none={t('None')}
        onChoose={setConfiguration}
      />
      {!configuration && (
        <TextArea
          code
          rows={3}
          label={t('Job IDs')}
          value={jobs}
          onChange={({ target }) => setJobs(target.value)}
        />
      )}
      {collect.error && <Failure error={collect.error} what={t('The results could not be taken')} />}
    </Dialog>
  );
}
