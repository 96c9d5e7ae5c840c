/** Lies about the transport of an answer. The vendor server sends them over a real connection. */
export const WIRE_LIES = [
  'slow bytes without end',
  'a content length of 1 TB',
  'a content length that is too long',
  'a content length that is too short',
  'HTML',
  'JSON that breaks off',
  'an error with status 200',
  '204 without a body',
  'an empty object',
] as const;
/**
 * Lies about the transport that send more than 64 MiB, which takes seconds. All drivers limit answers in the same way,
 * so `npm test` only announces a large answer, and these lies are told in `npm run test:all`.
 */
export const LARGE_LIES = ['a gzip bomb', 'an answer without end', 'a line of 100 MB'] as const;
/**
 * Returns the large lies for the driver with this index in the list of a port's drivers. The first driver is told all of
 * them and stands for the others, which are told one.
 */
export const largeLiesFor = (index: number): readonly (typeof LARGE_LIES)[number][] =>
  index === 0 ? LARGE_LIES : ['an answer without end'];
/** Answers of a server that did nothing. */
export const IDLE_LIES: readonly string[] = [
  ...['HTML', 'an error with status 200', '204 without a body', 'an empty object'],
];
export type WireLie = (typeof WIRE_LIES | typeof LARGE_LIES)[number];

/** Redirects in place of an answer. */
export const REDIRECT_LIES = ['redirects in a circle', 'a redirect to another host'] as const;
export type RedirectLie = (typeof REDIRECT_LIES)[number];

/** Lies in the members of a JSON or XML answer. */
export const CONTENT_LIES = [
  'ever new pages',
  'the same page again',
  'two pages in turn',
  'more pages than it gives a cursor for',
  'ids that are numbers',
  'an id that is a number',
  'dates in the year 0',
  'dates in the year 275760',
  'dates that are words',
  'null for every number',
  'infinite numbers',
] as const;
export type ContentLie = (typeof CONTENT_LIES)[number];

export type Lie = WireLie | RedirectLie | ContentLie;

/** Header with the lie. The body of the request is the honest answer. */
export const LIE_HEADER = 'x-vendor-lie';
/** Status of the honest answer. */
export const LIE_STATUS_HEADER = 'x-vendor-lie-status';
/** Content type of the honest answer. */
export const LIE_TYPE_HEADER = 'x-vendor-lie-type';

/** Redirect target of lying vendors, which belongs to nobody. */
export const ELSEWHERE = 'https://elsewhere.example';
