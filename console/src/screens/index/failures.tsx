import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useAction, useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { Card } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import styles from './index.module.css';
import { CHANGED_BY_RUNS } from './use-sync.ts';

const FAILURES = 'GET /api/v1/pipelines/{pipeline_id}/files/failures';

/** Why files failed, each reason once, with its files and another try. `failed`: of files and texts, as last read. */
export function Failures({ id, failed }: { id: string; failed: number }) {
  const at = useAt();
  const client = useQueryClient();
  const params = { pipeline_id: id };
  const read = useAnswer(FAILURES, { params });
  const retry = useAction('POST /api/v1/pipelines/{pipeline_id}/files/retry', CHANGED_BY_RUNS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the reasons are others when the number is another
  useEffect(() => void client.invalidateQueries({ queryKey: [FAILURES] }), [client, failed]);
  const again = (reason?: string) =>
    retry.mutate(
      { params, body: { filter: { statuses: ['ERROR'], ...(reason !== undefined && { reason }) } } },
      { onSuccess: ({ retried }) => announce(`${plural(retried, 'file')} will be tried again.`) },
    );
  if (read.data?.total_count === 0) return null;
  return (
    <Loaded read={read} what="The failures could not be read" rows={1}>
      {({ reasons, total_count: total }) => (
        <Card
          title={`${plural(total, 'file')} failed`}
          actions={
            <Button small icon="retry" onClick={() => again()} busy={retry.isPending}>
              Retry all
            </Button>
          }
        >
          {retry.error && <Failure error={retry.error} what="They could not be tried again" />}
          <ul className={styles.reasons}>
            {reasons.map(({ reason, step, count: n }) => (
              <li key={`${step} ${reason}`}>
                <p className={styles.reason}>{reason || 'No reason is known.'}</p>
                <span className={styles.words}>
                  {plural(n, 'file')}
                  {step && ` · ${step.toLowerCase().replaceAll('_', ' ')}`}
                </span>
                <Link to={at(`/indexes/${id}/files`, { status: 'ERROR', reason })}>
                  Show {n === 1 ? 'the file' : `the ${n} files`}
                </Link>
                <Button
                  small
                  icon="retry"
                  onClick={() => again(reason)}
                  disabled={retry.isPending}
                  aria-label={`Retry: ${reason}`}
                >
                  Retry
                </Button>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Loaded>
  );
}
