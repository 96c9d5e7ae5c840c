import { DurableObject } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import type { MetricsOwner } from '#src/metrics/flush.ts';
import { isMetric, METRICS, type MetricName } from '#src/metrics/registry.ts';
import { addValues, getSeriesKey, type Sample } from '#src/metrics/sample.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { RetentionOwner } from '#src/work/retention-owner.ts';
import { RetentionClock } from './retention-clock.ts';
import { type Upgrade, upgradeStorage } from './storage-upgrades.ts';

/**
 * Maximum number of series (combinations of labels) per metric. Further series are counted as dropped. The
 * largest metric, which counts operations by status, has a few hundred.
 */
const MAX_SERIES = 2_000;

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
 * Sums the metric counters of all isolates, one row per series. This object also runs the retention schedule.
 * It is the only Durable Object that exists once per installation, and a rollback could not remove a new
 * class.
 */
export class MetricsKeeper extends DurableObject<Bindings> implements MetricsOwner, RetentionOwner {
  readonly #sql: SqlStorage;
  #cachedSums: Map<string, Sample> | undefined;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#sql = state.storage.sql;
    upgradeStorage(state.storage, METRICS_UPGRADES);
  }

  watch(when: 'soon' | 'sometime'): Promise<void> {
    return this.#clock().watch(when);
  }

  override alarm(): Promise<void> {
    return this.#clock().runTurn();
  }

  #clock(): RetentionClock {
    const context = createContext(this.env, this.ctx, { object: 'metrics-keeper' });
    return new RetentionClock(this.ctx.storage, context);
  }

  async add(samples: Sample[]): Promise<void> {
    const known = this.#readSums();
    const changed = new Set<Sample>();
    for (const sample of samples) {
      // An isolate that runs a newer release may report metrics that this release does not know.
      if (!isMetric(sample.name)) continue;
      const sum = this.#findSum(known, sample.name, sample.labels);
      const kept = sum ?? this.#findSum(known, 'sluice_series_dropped_total', [sample.name])!;
      addValues(kept.values, sum ? sample.values : [1]);
      changed.add(kept);
    }
    try {
      this.ctx.storage.transactionSync(() => this.#write(changed));
    } catch (error) {
      // The write failed, so the isolate will report the same counters again. The cached sums already contain
      // them and are discarded.
      this.#cachedSums = undefined;
      throw error;
    }
  }

  #write(sums: Iterable<Sample>): void {
    for (const { name, labels, values } of sums) {
      this.#sql.exec(
        'insert into sums values (?1, ?2) on conflict (series) do update set "values" = ?2',
        ...[getSeriesKey(name, labels), JSON.stringify(values)],
      );
    }
  }

  async all(): Promise<Sample[]> {
    return [...this.#readSums().values()];
  }

  /**
   * Returns the stored sum of a series (a metric with certain labels) and creates it if needed. Returns
   * `undefined` if the metric already has the maximum number of series.
   */
  #findSum(known: Map<string, Sample>, name: MetricName, labels: string[]): Sample | undefined {
    const series = getSeriesKey(name, labels);
    const found = known.get(series);
    if (found) return found;
    const isFull = [...known.values()].filter((each) => each.name === name).length >= MAX_SERIES;
    if (isFull) return undefined;
    const sum: Sample = { name, labels, values: [] };
    known.set(series, sum);
    return sum;
  }

  /** Reads and caches all sums. Metrics that only other releases know are ignored. */
  #readSums(): Map<string, Sample> {
    if (this.#cachedSums) return this.#cachedSums;
    const rows = this.#sql.exec<Row>('select series, "values" from sums').toArray();
    this.#cachedSums = new Map(
      rows.flatMap(({ series, values }): [string, Sample][] => {
        const [name = '', ...labels] = series.split('\n');
        if (!isMetric(name) || labels.length !== METRICS[name].labels.length) return [];
        return [[series, { name, labels, values: JSON.parse(values) as number[] }]];
      }),
    );
    return this.#cachedSums;
  }
}
