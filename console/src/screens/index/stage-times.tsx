import { duration } from '../../ui/format.ts';
import styles from './stage-times.module.css';

const STAGES = ['parse', 'chunk', 'embed', 'write'] as const;

/** Returns the seconds spent in each stage of a sync run. The run's counters contain milliseconds. */
export function stageSeconds(counters: Record<string, number>): Record<string, number> {
  return Object.fromEntries(STAGES.map((stage) => [stage, (counters[`${stage}_ms`] ?? 0) / 1000]));
}

/**
 * Time spent in each stage of a run. Files are processed in parallel, so the sum may exceed the duration of
 * the run.
 */
export function StageTimes({ seconds }: { seconds: Record<string, number> }) {
  const stages = STAGES.map((stage) => ({ stage, took: seconds[stage] ?? 0 })).filter(({ took }) => took > 0);
  if (stages.length === 0) return <span className={styles.words}>–</span>;
  return (
    <div className={styles.stages}>
      <div className={styles.bar} aria-hidden="true">
        {stages.map(({ stage, took }) => (
          <span key={stage} className={styles[stage]} style={{ flexGrow: took }} />
        ))}
      </div>
      <ul className={styles.words}>
        {stages.map(({ stage, took }) => (
          <li key={stage}>
            <span className={`${styles.dot} ${styles[stage]}`} aria-hidden="true" />
            {stage} {duration(took)}
          </li>
        ))}
      </ul>
    </div>
  );
}
