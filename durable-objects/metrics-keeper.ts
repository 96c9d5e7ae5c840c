import { DurableObject } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import type { MetricsOwner } from '#src/metrics/hand-over.ts';
import { isMetric, METRICS, type MetricName } from '#src/metrics/registry.ts';
import { add, type Sample, seriesOf } from '#src/metrics/sample.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { RetentionOwner } from '#src/work/retention-owner.ts';
import { RetentionClock } from './retention-clock.ts';
import { type Upgrade, upgradeStorage } from './storage-upgrades.ts';

/**
 * Maximum number of series per metric. Further series are counted as dropped. The largest metric, operations
 * by status, has a few hundred.
 */
const MOST_SERIES = 2_000;

interface Row extends Record<string, SqlStorageValue> {
  series: string;
  values: string;
}

export const METRICS_UPGRADES: readonly Upgrade[] = [
  {
    changes: [
      'create table if not exists sums (series text primary key, "values" text not null) without rowid',
    ],
  },
];

/**
 * Sums the counters of all isolates, one row per series. It also runs the retention schedule, because it is
 * the installation's only global object and a rollback could not remove a separate class.
 */
export class MetricsKeeper extends DurableObject<Bindings> implements MetricsOwner, RetentionOwner {
  readonly #sql: SqlStorage;
  #known: Map<string, Sample> | undefined;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    upgradeStorage(state.storage, METRICS_UPGRADES);
  }

  watch(when: 'soon' | 'sometime'): Promise<void> {
    return this.#clock().watch(when);
  }

  override alarm(): Promise<void> {
    return this.#clock().goOn();
  }

  #clock(): RetentionClock {
    const context = createContext(this.env, this.ctx, { object: 'metrics-keeper' });
    return new RetentionClock(this.ctx.storage, context);
  }

  async add(samples: Sample[]): Promise<void> {
    const known = this.#sums();
    const changed = new Set<Sample>();
    for (const sample of samples) {
      // A newer release may report metrics that this one does not know.
      if (!isMetric(sample.name)) continue;
      const sum = this.#sumOf(known, sample.name, sample.labels);
      const kept = sum ?? this.#sumOf(known, 'sluice_series_dropped_total', [sample.name])!;
      add(kept.values, sum ? sample.values : [1]);
      changed.add(kept);
    }
    try {
      this.ctx.storage.transactionSync(() => this.#write(changed));
    } catch (error) {
      // Discard the cached sums, because the reporting isolate will send the counters again.
      this.#known = undefined;
      throw error;
    }
  }

  #write(sums: Iterable<Sample>): void {
    for (const { name, labels, values } of sums) {
      this.#sql.exec(
        'insert into sums values (?1, ?2) on conflict (series) do update set "values" = ?2',
        ...[seriesOf(name, labels), JSON.stringify(values)],
      );
    }
  }

  async all(): Promise<Sample[]> {
    return [...this.#sums().values()];
  }

  /** Returns the sum of a series. Returns `undefined` if the metric already has too many series. */
  #sumOf(known: Map<string, Sample>, name: MetricName, labels: string[]): Sample | undefined {
    const series = seriesOf(name, labels);
    const found = known.get(series);
    if (found) return found;
    const isFull = [...known.values()].filter((each) => each.name === name).length >= MOST_SERIES;
    if (isFull) return undefined;
    const sum: Sample = { name, labels, values: [] };
    known.set(series, sum);
    return sum;
  }

  /** Reads all sums and caches them. Metrics that only an earlier release knew are ignored. */
  #sums(): Map<string, Sample> {
    if (this.#known) return this.#known;
    const rows = this.#sql.exec<Row>('select series, "values" from sums').toArray();
    this.#known = new Map(
      rows.flatMap(({ series, values }): [string, Sample][] => {
        const [name = '', ...labels] = series.split('\n');
        if (!isMetric(name) || labels.length !== METRICS[name].labels.length) return [];
        return [[series, { name, labels, values: JSON.parse(values) as number[] }]];
      }),
    );
    return this.#known;
  }
}
