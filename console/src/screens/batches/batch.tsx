import { useParams } from 'wouter';
import { buildRequest } from '../../api/client.ts';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { BatchActions } from './batch-actions.tsx';
import { BatchReview } from './batch-review.tsx';

/** Page of a batch with its progress and the review of its results. */
export default function BatchPage() {
  const { id } = useParams<{ id: string }>();
  const pathTo = useProjectPath();
  const input = { params: { batch_id: id } };
  const read = useApiQuery('GET /api/v2/batches/{batch_id}', input, {
    refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false),
  });
  const batch = read.data;
  return (
    <Page
      title={batch?.name ?? t('Batch')}
      badge={batch && <StatusBadge status={batch.status} />}
      breadcrumbs={[{ to: pathTo('/batches'), label: t('Batches') }]}
      calls={[
        { what: t('Read the batch'), ...buildRequest('GET /api/v2/batches/{batch_id}', input) },
        { what: t('List its files'), ...buildRequest('GET /api/v2/batches/{batch_id}/items', input) },
      ]}
      actions={batch && <BatchActions batch={batch} />}
      full
    >
      <Loaded read={read} what={t('The batch could not be read')}>
        {(found) => <BatchReview key={found.id} batch={found} />}
      </Loaded>
    </Page>
  );
}
