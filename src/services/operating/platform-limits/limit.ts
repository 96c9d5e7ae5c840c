/** Share of a limit from which the doctor warns. There is then still time to act. */
export const WARNING_SHARE = 0.7;
/** Share of a limit from which the doctor reports a failure, because writes are about to be refused. */
export const FAILURE_SHARE = 0.95;

/** Limit of the platform that a growing installation can reach. */
export interface PlatformLimit {
  /** Name of the limited resource, without an article. */
  title: string;
  unit: 'bytes' | 'seconds' | 'items';
  /** Greatest possible value. Null if it differs between machines and is measured together with the use. */
  value: number | null;
  /** Page that states the value. */
  source: string;
  /** How the present use is measured, as a sentence without a full stop. */
  measured: string;
  /** Sentence that tells operators how to stay below the limit. */
  advice: string;
}

/** Present use of a limited part. */
export interface LimitUse {
  used: number;
  /** Limit of this machine. Undefined if the definition states the value. */
  value?: number;
  /** Name of the part, such as an index, if the limit applies to each of several parts. */
  part?: string;
}

/** Returns the used share of a limit, from 0. A limit of zero is not in use. */
export function computeShare(limit: PlatformLimit, { used, value = limit.value ?? 0 }: LimitUse): number {
  return value > 0 ? used / value : 0;
}

/** Describes a limit that is nearly reached, with its advice. */
export function describeUse(limit: PlatformLimit, use: LimitUse): string {
  const percent = Math.floor(100 * computeShare(limit, use));
  const value = formatAmount(limit.unit, use.value ?? limit.value ?? 0);
  const used = formatAmount(limit.unit, use.used);
  const part = use.part ? ` of ${use.part}` : '';
  return `${limit.title}${part}: ${used} of ${value} (${percent} %). ${limit.advice} See ${limit.source}`;
}

export interface LimitFinding {
  level: 'warn' | 'fail';
  place: string;
  message: string;
  mended: false;
}

/** Returns a finding if the use of a limit is near its value, and otherwise an empty list. */
export function reportUse(place: string, limit: PlatformLimit, use: LimitUse): LimitFinding[] {
  const share = computeShare(limit, use);
  if (share < WARNING_SHARE) return [];
  const level = share < FAILURE_SHARE ? 'warn' : 'fail';
  return [{ level, place, message: describeUse(limit, use), mended: false }];
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

function formatAmount(unit: PlatformLimit['unit'], amount: number): string {
  if (unit === 'seconds') return `${(amount / 3_600).toFixed(1)} hours`;
  if (unit === 'items') return amount.toLocaleString('en-US');
  const power = amount < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(amount) / 3));
  return `${Number((amount / 1_000 ** power).toPrecision(3))} ${BYTE_UNITS[power]}`;
}
