export type Span = [start: number, end: number];

/** State of filter inference. `used` lists the spans of the query that already became filters. */
export interface QueryState {
  query: string;
  now: Date;
  used: Span[];
}
