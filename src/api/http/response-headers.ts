/** Response headers that clients rely on, as `components/headers` of the OpenAPI description. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description:
      'The name of this request in logs and error bodies: what the request said in the same header, or a new uuid.',
    required: true,
    schema: { type: 'string' },
  },
  traceresponse: {
    description:
      'The trace of this request as W3C Trace Context names it (`00-<trace id>-<span id>-<flags>`): the one that `traceparent` of the request named, or a new one. The trace id is `traceId` in the logs.',
    required: true,
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'x-warnings': {
    description: 'Fields of the request that were taken and change nothing, each with the reason.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'Seconds after which the same call may succeed. Absent where it would be in vain.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-should-retry': {
    description: 'Whether the same call may succeed later without being changed.',
    required: true,
    schema: { type: 'boolean' },
  },
  'www-authenticate': {
    description: 'How to say who asks.',
    required: true,
    schema: { type: 'string' },
  },
} as const;

type Name = keyof typeof RESPONSE_HEADERS;

/** Returns references to headers for the description of a response. */
export function headers(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
