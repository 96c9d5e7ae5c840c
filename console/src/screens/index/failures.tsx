import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useApiMutation, useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { notify } from '../../ui/notify.tsx';
import { Card } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { getStepLabels } from './failed-steps.ts';
import styles from './index.module.css';
import { CHANGED_BY_RUNS } from './use-sync.ts';

const FAILURES = 'GET /api/v1/pipelines/{pipeline_id}/files/failures';

/**
 * Lists failed files of an index by reason, with links to the files and retry buttons. `failed` is the last
 * known number of failures.
 */
export function Failures({ id, failed }: { id: string; failed: number }) {
  const pathTo = useProjectPath();
  const client = useQueryClient();
  const params = { pipeline_id: id };
  const read = useApiQuery(FAILURES, { params });
  const retry = useApiMutation('POST /api/v1/pipelines/{pipeline_id}/files/retry', CHANGED_BY_RUNS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new number means new reasons
  useEffect(() => void client.invalidateQueries({ queryKey: [FAILURES] }), [client, failed]);
  const retryFailures = (reason?: string) =>
    retry.mutate(
      { params, body: { filter: { statuses: ['ERROR'], ...(reason !== undefined && { reason }) } } },
      {
        onSuccess: ({ retried }) =>
          notify(t('{count, plural, one {# file} other {# files}} will be retried.', { count: retried })),
      },
    );
  if (read.data?.total_count === 0) return null;
  return (
    <Loaded read={read} what={t('The failures could not be read')} rows={1}>
      {({ reasons, total_count: total }) => (
        <Card
          title={t('{count, plural, one {# file} other {# files}} failed', { count: total })}
          actions={
            <Button writes small icon="retry" onClick={() => retryFailures()} busy={retry.isPending}>
              {t('Retry all')}
            </Button>
          }
        >
          {retry.error && <Failure error={retry.error} what={t('The files could not be retried')} />}
          <ul className={styles.reasons}>
            {reasons.map(({ reason, step, count: n }) => (
              <li key={`${step} ${reason}`}>
                <p className={styles.reason}>{reason || t('Unknown reason')}</p>
                <span className={styles.words}>
                  {t('{count, plural, one {# file} other {# files}}', { count: n })}
                  {step && ` · ${getStepLabels()[step]}`}
                </span>
                <Link to={pathTo(`/indexes/${id}/files`, { status: 'ERROR', reason })}>
                  {t('{count, plural, one {Show the file} other {Show the # files}}', { count: n })}
                </Link>
                <Button
                  writes
                  small
                  icon="retry"
                  onClick={() => retryFailures(reason)}
                  disabled={retry.isPending}
                  aria-label={t('Retry: {reason}', { reason })}
                >
                  {t('Retry')}
                </Button>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Loaded>
  );
}
