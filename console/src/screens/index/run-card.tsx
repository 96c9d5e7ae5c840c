import { Link } from 'wouter';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { ago, count, duration, formatRate } from '../../ui/format.ts';
import { Card } from '../../ui/page.tsx';
import { Progress } from '../../ui/states.tsx';
import { Facts } from './facts.tsx';
import styles from './index.module.css';
import { getDurationSeconds } from './run-labels.ts';
import { StageTimes, stageSeconds } from './stage-times.tsx';
import { getProgress, type RunProgress } from './use-status.ts';

type Status = Answer<'GET /api/v1/pipelines/{pipeline_id}/status'>;

/** Progress of the current sync run, or the result of the last one. */
export function RunCard({ id, status }: { id: string; status: Status }) {
  const pathTo = useProjectPath();
  const progress = getProgress(status);
  const isRunning = status.status === 'IN_PROGRESS';
  const { counters = {}, started_at, finished_at } = progress;
  return (
    <Card
      title={isRunning ? t('Syncing') : t('Last sync')}
      actions={<Link to={pathTo(`/indexes/${id}/runs`)}>{t('All runs')}</Link>}
    >
      {isRunning && <SyncProgress progress={progress} />}
      <Facts
        facts={[
          [t('Started'), ago(started_at)],
          [
            isRunning ? t('Running for') : t('Took'),
            started_at && duration(getDurationSeconds(started_at, finished_at)),
          ],
          [t('Indexed'), count(counters.indexed ?? 0)],
          [t('Failed'), count(counters.failed ?? 0)],
          [t('Removed'), counters.removed ? count(counters.removed) : undefined],
          [t('Pages'), counters.pages ? count(counters.pages) : undefined],
          [t('Chunks'), counters.chunks ? count(counters.chunks) : undefined],
        ]}
      />
      <div className={styles.part}>
        <h3>{t('Time by stage')}</h3>
        <StageTimes seconds={stageSeconds(counters)} />
      </div>
    </Card>
  );
}

function SyncProgress({ progress }: { progress: RunProgress }) {
  const { items, items_per_second: rate = 0, estimated_seconds_remaining: left } = progress;
  const { done = 0, failed = 0, waiting = 0, running = 0 } = items ?? {};
  const total = done + failed + waiting + running;
  const words = [
    total > 0
      ? t('{done} of {total} done', { done: count(done), total: count(total) })
      : t('Looking for changes'),
    failed > 0 && t('{count} failed', { count: count(failed) }),
    waiting > 0 && t('{count} waiting', { count: count(waiting) }),
    rate > 0 && t('{rate} per second', { rate: formatRate(rate) }),
    left != null && t('about {left} left', { left: duration(left) }),
  ];
  return (
    <Progress label={t('Progress of the sync')} done={done} failed={failed} total={total}>
      <p className={styles.words}>{words.filter(Boolean).join(' · ')}</p>
    </Progress>
  );
}
