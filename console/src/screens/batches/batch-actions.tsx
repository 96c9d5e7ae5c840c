import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { buildUrl, call } from '../../api/client.ts';
import { deleteItem } from '../../api/deletions.ts';
import { useApiMutation } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { isUnderWay } from '../jobs/polling.ts';
import styles from './batches.module.css';
import type { Batch } from './columns.ts';

const READS = ['GET /api/v2/batches', 'GET /api/v2/batches/{batch_id}'] as const;
const ITEMS = 'GET /api/v2/batches/{batch_id}/items';

/** Buttons of a batch: export, retry, cancel and delete. */
export function BatchActions({ batch }: { batch: Batch }) {
  const client = useQueryClient();
  const pathTo = useProjectPath();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'export' | 'delete'>();
  const retry = useApiMutation('POST /api/v2/batches/{batch_id}/retry', [...READS, ITEMS]);
  const cancel = useApiMutation('POST /api/v2/batches/{batch_id}/cancel', [...READS, ITEMS]);
  const input = { params: { batch_id: batch.id } };
  const { FAILED, CANCELLED, DELETED, COMPLETED } = batch.status_counts;
  const remove = async () => {
    await deleteItem(client, {
      id: batch.id,
      remove: () => call('DELETE /api/v2/batches/{batch_id}', input),
      leave: () => navigate(pathTo('/batches')),
    });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/batches'] });
  };
  return (
    <>
      {COMPLETED > 0 && (
        <Button icon="download" onClick={() => setOpen('export')}>
          {t('Export')}
        </Button>
      )}
      {FAILED + CANCELLED + DELETED > 0 && (
        <Button writes icon="retry" busy={retry.isPending} onClick={() => retry.mutate(input)}>
          {t('Retry failed')}
        </Button>
      )}
      {isUnderWay(batch.status) && (
        <Button writes icon="stop" busy={cancel.isPending} onClick={() => cancel.mutate(input)}>
          {t('Cancel')}
        </Button>
      )}
      <Button look="danger" icon="trash" onClick={() => setOpen('delete')}>
        {t('Delete')}
      </Button>
      {(retry.error ?? cancel.error) && (
        <Failure error={retry.error ?? cancel.error} what={t('The batch could not be changed')} />
      )}
      {open === 'export' && <ExportDialog batch={batch} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <Confirm
          title={t('Delete this batch?')}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setOpen(undefined)}
        >
          {t('Its jobs, results and reviews are deleted. The files are kept.')}
        </Confirm>
      )}
    </>
  );
}

const getValues = () => [
  { value: 'reviewed', label: t('All files, with corrections') },
  { value: 'approved', label: t('Only approved files') },
  { value: 'extracted', label: t('All files, as extracted') },
];
const getFormats = () => [
  { value: 'csv', label: t('CSV') },
  { value: 'json', label: 'JSON' },
  { value: 'jsonl', label: t('JSON Lines') },
];

function ExportDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const [values, setValues] = useState('reviewed');
  const [format, setFormat] = useState('csv');
  const url = buildUrl({
    path: '/api/v2/batches/{batch_id}/results',
    params: { batch_id: batch.id },
    query: { format, values },
  });
  return (
    <Dialog
      title={t('Export results')}
      onClose={onClose}
      actions={
        <a className={styles.download} href={url} download onClick={onClose}>
          {t('Download')}
        </a>
      }
    >
      <Select
        label={t('Values')}
        choices={getValues()}
        value={values}
        onChange={({ target }) => setValues(target.value)}
      />
      <Select
        label={t('Format')}
        choices={getFormats()}
        value={format}
        onChange={({ target }) => setFormat(target.value)}
      />
    </Dialog>
  );
}
