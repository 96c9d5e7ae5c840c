export type Span = [start: number, end: number];

/**
 * Query whose filters are being inferred. `used` lists the ranges of the query that already became filters.
 */
export interface QueryState {
  query: string;
  now: Date;
  used: Span[];
}
